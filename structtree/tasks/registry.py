"""Registry of tasks by name, for model files and criteria."""

from __future__ import annotations

from structtree.errors import UnknownNameError, UsageError, require
from structtree.tasks.classification import Classification
from structtree.tasks.regression import REGRESSION
from structtree.tasks.task import Task

__all__ = ["as_task", "register_task"]

_TASKS: dict[str, Task] = {}


def register_task(task: Task) -> None:
    """Register a task by name, so that models with it can be loaded.

    Parameters
    ----------
    task : Task
        Registering a task of the same type again changes nothing.

    Examples
    --------
    >>> register_task(Classification())
    >>> as_task("classes").noun
    'classes'
    """
    require(task, Task, "task", "a Task")
    known = _TASKS.setdefault(task.name, task)
    if type(known) is not type(task):
        raise UsageError(
            f"there is already a task called {task.name!r}, a {type(known).__name__}; choose another name"
        )


def as_task(given: str | Task) -> Task:
    """Return the task registered under a name; return a task unchanged.

    Examples
    --------
    >>> as_task("poisson")
    Traceback (most recent call last):
        ...
    structtree.errors.UnknownNameError: unknown task 'poisson' (known: 'classes', 'numbers')
    """
    require(given, str | Task, "task", "a name or a Task")
    if isinstance(given, Task):
        return given
    if given not in _TASKS:
        raise UnknownNameError("task", given, _TASKS)
    return _TASKS[given]


for _task in (Classification(), REGRESSION):
    register_task(_task)
