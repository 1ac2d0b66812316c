"""python -m thinwire.serve."""

from . import main

main()
