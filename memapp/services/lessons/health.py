"""The health of lessons, for people who look at it: per run, per day, and of all."""

from memapp.services.reads import reading
from memapp.store import lesson_health

health = reading(lesson_health.health)
