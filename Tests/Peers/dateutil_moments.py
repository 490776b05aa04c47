"""Reads questions about the clocks of a zone, a line each, and writes what dateutil answers, in seconds since 1970.

    recurrence AFTER weekly 1..7 HH:MM ZONE     the first moment after AFTER; in the same way
    recurrence AFTER monthly 1..31 HH:MM ZONE
    recurrence AFTER quarterly 1..31 HH:MM ZONE
    recurrence AFTER yearly MM-DD HH:MM ZONE
    time AFTER HH:MM ZONE                       the first moment after AFTER at which the clocks show this time
    clock DAY MINUTE ZONE                       the moment of a minute of a day, counted from 1 January 1970
    day MOMENT ZONE                             the day on which a moment falls
"""

import datetime
import sys

from dateutil import rrule, tz

DAY = datetime.timedelta(days=1)
MINUTE = datetime.timedelta(minutes=1)
EPOCH = datetime.datetime(1970, 1, 1)


def local(moment, zone):
    return datetime.datetime.fromtimestamp(moment, zone)


def shifted(naive, zone):
    """A time that clocks leave out comes as much later as they go forward; of a time that comes twice, the first counts."""
    return round(tz.resolve_imaginary(naive.replace(tzinfo=zone, fold=0)).timestamp())


def change(naive, zone):
    """A time that clocks leave out is the moment at which they go forward."""
    missing = 0
    while not tz.datetime_exists(naive - missing * MINUTE, zone):
        missing += 1
    before = (naive - missing * MINUTE).replace(tzinfo=zone, fold=0)
    return round(before.timestamp()) + (60 if missing else 0)


def rule(every, day, start):
    """A shorter month has its day on the last one, so the last of the days up to it counts."""
    last = {"bysetpos": -1, "dtstart": start}
    if every == "weekly":
        return rrule.rrule(rrule.WEEKLY, byweekday=int(day) - 1, dtstart=start)
    if every == "yearly":
        month, day = map(int, day.split("-"))
        return rrule.rrule(rrule.YEARLY, bymonth=month, bymonthday=range(min(day, 28), day + 1), **last)
    months = range(1, 13) if every == "monthly" else (1, 4, 7, 10)
    days = range(min(int(day), 28), int(day) + 1)
    return rrule.rrule(rrule.MONTHLY, bymonth=months, bymonthday=days, **last)


def first(moments, after):
    return next(moment for moment in moments if moment > after)


def answer(kind, *words):
    zone = tz.gettz(words[-1])
    if kind == "day":
        return (local(int(words[0]), zone).replace(tzinfo=None) - EPOCH).days
    if kind == "clock":
        return change(EPOCH + int(words[0]) * DAY + int(words[1]) * MINUTE, zone)
    after = int(words[0])
    hour, minute = map(int, words[-2].split(":"))
    # The rules' first day is early enough for days that a zone skips.
    start = local(after, zone).replace(tzinfo=None, hour=hour, minute=minute, second=0) - 3 * DAY
    if kind == "time":
        return first((change(naive, zone) for naive in rrule.rrule(rrule.DAILY, dtstart=start)), after)
    start = start.replace(month=1, day=1) if words[1] != "weekly" else start
    return first((shifted(naive, zone) for naive in rule(words[1], words[2], start)), after)


for line in sys.stdin:
    print(answer(*line.split()))
