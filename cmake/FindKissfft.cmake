# kissfft's header for C++, which needs no library (Debian and Ubuntu: libkissfft-dev).
find_path(KISSFFT_INCLUDE_DIR kissfft/kissfft.hh)
if(NOT KISSFFT_INCLUDE_DIR)
  message(FATAL_ERROR "kissfft/kissfft.hh was not found. Install libkissfft-dev, or set "
                      "KISSFFT_INCLUDE_DIR to the folder that holds kissfft/kissfft.hh.")
endif()
