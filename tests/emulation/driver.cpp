/// libcuda.so.1: thinwire looks whether it is there, and calls nothing of it.
