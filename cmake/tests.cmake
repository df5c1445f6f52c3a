# How a test enters ctest. Each build tree may hold the same tests under other
# flags; the two settings below keep the trees apart and small, and `./dev test`
# runs all trees as one.
set(TAMIS_TEST_PREFIX "" CACHE STRING "Put before every test's name, for example asan/")
set(TAMIS_TEST_LABEL "" CACHE STRING "Build and run only the tests with this label")

# What is the same in every tree (install, most of Python, tools, long tests)
# belongs to the plain one only.
if(TAMIS_TEST_PREFIX STREQUAL "" AND TAMIS_TEST_LABEL STREQUAL "")
    set(TAMIS_TEST_PLAIN ON)
else()
    set(TAMIS_TEST_PLAIN OFF)
endif()

# What runs a test program: qemu-user for another machine. The thread sanitizer
# dies at the start where the kernel spreads addresses too widely for it, so its
# programs run without that, where the system lets us ask.
set(TAMIS_TEST_LAUNCHER ${CMAKE_CROSSCOMPILING_EMULATOR})
if(TAMIS_TESTS AND CMAKE_C_FLAGS MATCHES "-fsanitize=thread")
    execute_process(COMMAND setarch -R true RESULT_VARIABLE refused ERROR_QUIET)
    if(refused EQUAL 0)
        set(TAMIS_TEST_LAUNCHER setarch -R)
    endif()
endif()

# Sets `out` when a test with these labels belongs to this tree.
function(tamis_test_wanted out)
    if(TAMIS_TEST_PLAIN)
        set(${out} ON PARENT_SCOPE)
    elseif("long" IN_LIST ARGN)
        set(${out} OFF PARENT_SCOPE)
    elseif(TAMIS_TEST_LABEL STREQUAL "" OR TAMIS_TEST_LABEL IN_LIST ARGN)
        set(${out} ON PARENT_SCOPE)
    else()
        set(${out} OFF PARENT_SCOPE)
    endif()
endfunction()

# What every test shares. A refused allocation is NULL under a sanitizer too, as
# it is without; tests of threads get the processors they ask for.
function(tamis_test_properties name)
    set_tests_properties(${name} PROPERTIES LABELS "${ARGN}")
    set_property(TEST ${name} APPEND PROPERTY ENVIRONMENT
        ASAN_OPTIONS=allocator_may_return_null=1
        TSAN_OPTIONS=allocator_may_return_null=1:halt_on_error=1
        UBSAN_OPTIONS=print_stacktrace=1)
    if("threads" IN_LIST ARGN)
        set_tests_properties(${name} PROPERTIES PROCESSORS 2)
    endif()
endfunction()

# Registers a program of this build:
# tamis_test_program(NAME name TARGET target [ARGS word...] [LABELS label...])
function(tamis_test_program)
    cmake_parse_arguments(arg "" "NAME;TARGET" "ARGS;LABELS" ${ARGN})
    set(name ${TAMIS_TEST_PREFIX}${arg_NAME})
    add_test(NAME ${name} COMMAND ${TAMIS_TEST_LAUNCHER} $<TARGET_FILE:${arg_TARGET}> ${arg_ARGS})
    tamis_test_properties(${name} ${arg_LABELS})
endfunction()

# Registers a command: tamis_test_command(name labels command...)
function(tamis_test_command name labels)
    add_test(NAME ${name} COMMAND ${ARGN})
    tamis_test_properties(${name} ${labels})
endfunction()
