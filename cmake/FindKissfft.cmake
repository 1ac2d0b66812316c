# kissfft's header for C++, which needs no library.
find_path(KISSFFT_INCLUDE_DIR kissfft/kissfft.hh)
thinwire_needs(kissfft "${KISSFFT_INCLUDE_DIR}" DEBIAN libkissfft-dev CONDA kissfft)
