"""``python -m structtree.cli`` is ``structtree``."""

from structtree.cli import main

main()
