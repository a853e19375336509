"""`python -m isyarat`."""

from .cli import main

main()
