check_PROGRAMS += transport_test TESTS += transport_test transport_test_SOURCES =
    tests / unit / transport_conformance.hpp tests / unit / transport_exchange.hpp tests / unit /
    transport_test_inproc.cpp
