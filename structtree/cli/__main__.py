"""Entry point of ``python -m structtree.cli``."""

from structtree.cli import main

main()
