"""Clocks, calendars, ages and queues."""

from collections.abc import Iterator
from datetime import date
from math import lcm

from ..draw import Draw
from ..problem import shape
from ..words import clock, count, num, ordinal

WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")


@shape("elapsed")
def elapsed(r: Draw) -> Iterator[str]:
    t, a, b = r.roll(8 * 60, 9 * 60 + 45, 5), r.roll(80, 140, 5), r.roll(25, 55, 5)
    p = r.person()
    yield f"""{p}'s train leaves at {clock(t)}. It rides for {a} minutes, waits {b} minutes at the border and then
    needs another {a - 20} minutes to {r.pick("Trieste", "Basel", "Szeged")}. How many minutes after leaving does it
    arrive?
    - The two stretches take {a} + {a - 20} = {2 * a - 20} minutes.
    - With the wait that is {2 * a - 20} + {b} = {2 * a - 20 + b} minutes.
    = {a + b + a - 20}"""
    s, d = r.roll(18 * 60 + 10, 19 * 60 + 50, 10), r.roll(95, 175, 5)
    e = s + d
    film = r.pick("film", "opera", "lecture")
    yield f"""The {film} began at {clock(s)} and was over at {clock(e)}. A break of 15 minutes is included. For how
    many minutes did the {film} itself run?
    - From {clock(s)} to the next full hour it is 60 - {s % 60} = {60 - s % 60} minutes.
    - From {clock(s // 60 * 60 + 60)} to {clock(e)} there are {e // 60 - s // 60 - 1} * 60 + {e % 60} =
    {e - s // 60 * 60 - 60} minutes.
    - Altogether that is {60 - s % 60} + {e - s // 60 * 60 - 60} = {d} minutes.
    - Without the break, {d} - 15 = {d - 15} minutes remain.
    = {e - s - 15}"""
    n, x, y = r.roll(4, 7), r.roll(25, 45, 5), r.roll(5, 15, 5)
    yield f"""A piano teacher gives {n} lessons of {x} minutes one after the other, with a pause of {y} minutes
    between each two. The first lesson starts at {clock(14 * 60)}. How many minutes later does the last one end?
    - The lessons last {n} * {x} = {n * x} minutes.
    - Between {n} lessons there are {n} - 1 = {n - 1} pauses.
    - The pauses last {n - 1} * {y} = {(n - 1) * y} minutes.
    - The last lesson ends {n * x} + {(n - 1) * y} = {n * x + (n - 1) * y} minutes after the start.
    = {n * (x + y) - y}"""
    p, h, k = r.person(), r.roll(2, 4), r.roll(10, 40, 5)
    yield f"""{p}'s bread needs {h} hours to rise, {k} minutes for shaping, {k + 15} minutes for a second rise and 45
    minutes in the oven. {p.He} wants it out of the oven at noon. How many minutes before noon must {p.he} begin?
    - Rising first takes {h} * 60 = {h * 60} minutes.
    - Shaping and the second rise take {k} + {k + 15} = {2 * k + 15} minutes.
    - With the baking it all takes {h * 60} + {2 * k + 15} + 45 = {h * 60 + 2 * k + 60} minutes.
    = {60 * (h + 1) + 2 * k}"""
    a, b, c = r.roll(35, 55), r.roll(12, 28), r.roll(6, 15)
    p = r.person()
    yield f"""On Monday {p}'s way to work took {a} minutes. A burst pipe made it {b} minutes longer on Tuesday, and on
    Wednesday {p.he} cycled and was {c} minutes faster than on Monday. Thursday and Friday were like Monday. The way
    home took {a + 5} minutes every day. How many minutes did {p} spend on the ten trips?
    - Tuesday morning took {a} + {b} = {a + b} minutes.
    - Wednesday morning took {a} - {c} = {a - c} minutes.
    - The other three mornings took 3 * {a} = {3 * a} minutes.
    - All the mornings together took {a + b} + {a - c} + {3 * a} = {(s := 5 * a + b - c)} minutes.
    - The evenings took 5 * {a + 5} = {5 * a + 25} minutes.
    - The ten trips took {s} + {5 * a + 25} = {s + 5 * a + 25} minutes.
    = {10 * a + b - c + 25}"""
    h, m = r.roll(6, 9), r.roll(10, 50, 5)
    p = r.person()
    yield f"""Last night {p} switched off the light at {clock(22 * 60 + m)} and woke up at
    {clock(h * 60 - 120 + m + 5)}. A storm kept {p.him} awake for 35 minutes in between. How many minutes did {p.he}
    sleep?
    - From {clock(22 * 60 + m)} to {clock(h * 60 - 120 + m)} is {h} hours, or {h} * 60 = {h * 60} minutes.
    - Up to {clock(h * 60 - 115 + m)} it is {h * 60} + 5 = {h * 60 + 5} minutes.
    - Less the storm, {p} slept {h * 60 + 5} - 35 = {h * 60 - 30} minutes.
    = {(h * 60 - 115 + m + 1440) - (22 * 60 + m) - 35}"""


@shape("schedule", held_out=2)
def schedule(r: Draw) -> Iterator[str]:
    n, t = r.pick(6, 10, 12, 15, 20), r.roll(3, 5)
    yield f"""The tram to the {r.pick("stadium", "harbor", "university")} leaves every {n} minutes, the first at 6:00
    a.m. How many trams have left by {clock(360 + t * 60)}, counting the one at that very moment?
    - {t} hours are {t} * 60 = {t * 60} minutes.
    - That holds {t * 60} / {n} = {t * 60 // n} gaps between trams.
    - With the first tram, {t * 60 // n} + 1 = {t * 60 // n + 1} have left.
    = {len(range(0, t * 60 + 1, n))}"""
    a, b, m = r.pick((6, 8, 24), (6, 10, 30), (9, 12, 36), (10, 15, 30), (12, 20, 60), (8, 12, 24))
    where = r.pick("lighthouse lamps", "neon signs", "warning lights")
    yield f"""Two {where} flash together at midnight. One flashes every {a} seconds, the other every {b} seconds.
    After how many seconds do they flash together for the next time?
    - They meet again at the first multiple of {b} that {a} divides as well.
    - That is {m}, since {m} / {a} = {m // a} and no smaller multiple of {b} works.
    - The slower lamp flashes {m // b} times until then: {m // b} * {b} = {m} seconds.
    = {lcm(a, b)}"""
    p, x, y, k = r.person(), r.roll(40, 60, 5), r.roll(10, 20, 5), r.roll(3, 5)
    yield f"""On Saturday {p} has {count(k, "errand")} to run, each taking {y + 5} minutes, and a haircut of {x}
    minutes. Getting from place to place takes {y} minutes every time, the way there and the way home included. How
    long is {p.he} out, in minutes?
    - There are {k} + 1 = {k + 1} stops.
    - {p} is on the move one time more than that: {k + 1} + 1 = {k + 2} times.
    - Moving takes {k + 2} * {y} = {(k + 2) * y} minutes.
    - The errands take {k} * {y + 5} = {k * (y + 5)} minutes.
    - With the haircut {p} is out for {(k + 2) * y} + {k * (y + 5)} + {x} = {(k + 2) * y + k * (y + 5) + x} minutes.
    = {y + (y + 5 + y) * k + x + y}"""
    n, x, y, g = r.roll(5, 8), r.roll(4, 6), r.roll(2, 3), r.roll(6, 12)
    yield f"""A hall is booked for {n * (x + y) + g} minutes. Each {r.pick("dance pair", "choir", "debating team")}
    performs for {x} minutes and the judges take {y} minutes after every performance. The prize-giving needs {g}
    minutes. How many performances fit?
    - Without the prize-giving there are {n * (x + y) + g} - {g} = {n * (x + y)} minutes.
    - One performance with its judging takes {x} + {y} = {x + y} minutes.
    - So {n * (x + y)} / {x + y} = {n} performances fit.
    = {next(v for v in range(99, 0, -1) if v * (x + y) + g <= n * (x + y) + g)}"""
    p, h, n, d = r.person(), r.pick(4, 6, 8, 12), r.roll(3, 6), r.roll(10, 25)
    yield f"""A doctor tells {p} to take {n} drops of a medicine every {h} hours, day and night, and one vitamin
    capsule a day. The bottle holds {24 // h * n * d} drops. For how many days will it last?
    - In a day there are 24 / {h} = {24 // h} doses.
    - They use {24 // h} * {n} = {24 // h * n} drops.
    - The bottle lasts {24 // h * n * d} / {24 // h * n} = {d} days.
    = {24 // h * n * d // n * h // 24}"""
    s, d, n = r.roll(480, 600, 30), r.roll(25, 40, 5), r.roll(4, 6)
    w = d + r.roll(10, 20, 5)
    yield f"""A ferry needs {d} minutes to cross the fjord and stays at each shore for {w - d} minutes. Its first
    departure is at {clock(s)} from the north shore. How many minutes after that does it set off for crossing number
    {n + 1}?
    - A crossing and the stay that follows take {d} + {w - d} = {w} minutes.
    - Before crossing number {n + 1} there are {n} of these.
    - They take {n} * {w} = {n * w} minutes.
    = {sum(d + w - d for _ in range(n))}"""
    n, x, y = r.roll(3, 5), r.roll(45, 55, 5), r.roll(5, 10, 5)
    yield f"""School begins at 8:00 a.m. with {n + 2} lessons of {x} minutes each. There are {y} minutes between
    lessons, except that the pause after the third is {y + 20} minutes long. How many minutes after eight does the
    last lesson finish?
    - The lessons take {n + 2} * {x} = {(n + 2) * x} minutes.
    - There are {n + 2} - 1 = {n + 1} pauses.
    - If all were short, they would take {n + 1} * {y} = {(n + 1) * y} minutes.
    - The long one adds 20 minutes: {(n + 1) * y} + 20 = {(n + 1) * y + 20}.
    - The last lesson finishes after {(n + 2) * x} + {(n + 1) * y + 20} = {(n + 2) * x + (n + 1) * y + 20} minutes.
    = {(n + 2) * (x + y) - y + 20}"""


@shape("calendar")
def calendar(r: Draw) -> Iterator[str]:
    d, e = r.roll(3, 24), r.roll(4, 26)
    veg = r.pick("Radish", "Lettuce", "Spinach")
    yield f"""{veg} seeds were sown on April {d} and the last plant was pulled up on June {e} of the same year. How
    many days lie between the two dates?
    - From April {d} to the end of April it is 30 - {d} = {count(30 - d, "day")}.
    - May has 31 days, and June adds {e}.
    - Together that makes {30 - d} + 31 + {e} = {61 - d + e} days.
    = {(date(2025, 6, e) - date(2025, 4, d)).days}"""
    n, p = r.roll(7, 13), r.person()
    yield f"""{p} waters a {r.pick("cactus", "dragon tree", "bonsai")} every {n} days and did so on May 1. On which
    day of May will the third watering be, if May 1 was the first?
    - From the first watering to the third there are two gaps.
    - Two gaps last 2 * {n} = {2 * n} days.
    - Counted from May 1, that leads to May 1 + {2 * n} = {2 * n + 1}.
    = {[*range(1, 32, n)][2]}"""
    k, w = r.roll(0, 6), r.roll(2, 4)
    first, t = WEEKDAYS[k], r.roll(1, 5)
    target = WEEKDAYS[(k + t) % 7]
    yield f"""In one month the 1st is a {first}. The chess club meets on the {ordinal(w)} {target} of the month. What
    date is that?
    - Counting on from the 1st, the first {target} is {count(t, "day")} later, on day 1 + {t} = {1 + t}.
    - The {ordinal(w)} one comes {count(w - 1, "week")} after it, which is {w - 1} * 7 = {(w - 1) * 7} days.
    - The club meets on day {1 + t} + {(w - 1) * 7} = {1 + t + (w - 1) * 7}.
    = {[x for x in range(1, 32) if (k + x - 1) % 7 == (k + t) % 7][w - 1]}"""
    n, k, x = r.roll(4, 7), r.roll(2, 4), r.roll(3, 6)
    yield f"""A crew of {x} lays a mosaic in a {r.pick("swimming hall", "town hall", "subway station")}. It takes
    {5 * n + k} working days, and they work from Monday to Friday only. They begin on a Monday. How many days, free
    days included, pass from the first day to the last, counting both?
    - {n} full weeks hold {n} * 5 = {5 * n} working days.
    - The other {5 * n + k} - {5 * n} = {k} fall in the week after and have no weekend before them.
    - {n} full weeks are {n} * 7 = {7 * n} days.
    - The work spans {7 * n} + {k} = {7 * n + k} days.
    = {[d for d in range(1, 99) if d % 7 not in (6, 0)][5 * n + k - 1]}"""
    d, x, fee = r.roll(8, 20), r.roll(1, 9), r.pick(10, 15, 20, 25)
    p = r.person()
    late = 31 - d + 30 + x - 42
    yield f"""{p} borrowed an atlas on October {d}. The loan runs for four weeks, and {p.he} extended it by another
    two. In the end {p.he} brought the atlas back on December {x + 5}. Each day of delay costs {fee} cents. How many
    cents did {p} owe?
    - Loan and extension last (4 + 2) * 7 = 42 days.
    - After October {d} there are 31 - {d} = {31 - d} days left in October.
    - With November that makes {31 - d} + 30 = {61 - d} days.
    - Up to December {x + 5} it makes {61 - d} + {x + 5} = {66 - d + x} days.
    - The atlas was late by {66 - d + x} - 42 = {late + 5} days.
    - The fee is {late + 5} * {fee} = {(late + 5) * fee} cents.
    = {((date(2025, 12, x + 5) - date(2025, 10, d)).days - 42) * fee}"""
    w, d = r.roll(8, 12), r.roll(1, 6)
    p = r.person()
    yield f"""Today baby {p} is {w} weeks and {count(d, "day")} old. The parents want to give a party on the day when
    {p.he} is exactly 100 days old. In how many days is that?
    - {w} weeks are {w} * 7 = {7 * w} days.
    - {p} is now {7 * w} + {d} = {7 * w + d} days old.
    - The party is in 100 - {7 * w + d} = {100 - 7 * w - d} days.
    = {sum(1 for day in range(7 * w + d, 100))}"""


@shape("ages", held_out=2)
def ages(r: Draw) -> Iterator[str]:
    p, q, x, k = r.person(), r.person(), r.roll(7, 16), r.roll(3, 9)
    yield f"""{p} is {k} years older than {q}. Their ages add up to {2 * x + k}. How old is {q}?
    - Without the extra {k} years the two would be equally old, with a sum of {2 * x + k} - {k} = {2 * x}.
    - {q} is {2 * x} / 2 = {x} years old.
    = {next(a for a in range(99) if a + a + k == 2 * x + k)}"""
    x, k, p, q = r.roll(8, 13), r.roll(5, 6), r.she(), r.person()
    yield f"""{p} is {k} times as old as her grandchild {q}. When {q} was born, {p} was {(k - 1) * x}. How old is {q}
    today?
    - The difference in age is always {(k - 1) * x} years.
    - Today this difference is {k} - 1 = {k - 1} times {q}'s age.
    - So {q} is {(k - 1) * x} / {k - 1} = {x} years old.
    = {next(a for a in range(1, 99) if a + (k - 1) * x == k * a)}"""
    p, q, x, y, z = r.person(), r.person(), r.roll(9, 12), r.roll(3, 5), r.roll(19, 25)
    yield f"""{p} turned {x} this spring. {p.His} neighbor {q} was born when {p} was {y}. Both plan to leave the
    village when {p} is {z}. How old will {q} be then?
    - {q} is {y} years younger than {p}, whatever the year.
    - When {p} is {z}, {q} will be {z} - {y} = {z - y}.
    = {x - y + z - x}"""
    x, k = r.roll(6, 11), r.roll(2, 5)
    p, q, s = r.person(), r.person(), r.person()
    yield f"""Of three {r.pick("cousins", "siblings", "friends")}, {p} is the youngest. {q} is {k} years older than
    {p}, and {s} is twice as old as {p}. Together they have lived {4 * x + k} years. What is {s}'s age?
    - Measured in {p}'s age, the three have 1 + 1 + 2 = 4 shares and {k} years over.
    - Four shares are {4 * x + k} - {k} = {4 * x} years.
    - {p} is {4 * x} / 4 = {x}.
    - {s} is 2 * {x} = {2 * x}.
    = {next(2 * a for a in range(99) if a + a + k + 2 * a == 4 * x + k)}"""
    x, a, b, c = r.roll(34, 42), r.roll(25, 29), r.roll(2, 4), r.roll(3, 6)
    p, q = r.she(), r.person()
    yield f"""{p}, who is {x}, had her first child at {a}. The second, {q}, came {b} years later. {p}'s husband is {c}
    years older than she is, and their dog is 3. What will the ages of all four people add up to in two years?
    - The first child is {x} - {a} = {x - a} years old.
    - {q} is {x - a} - {b} = {count(x - a - b, "year")} old.
    - The husband is {x} + {c} = {x + c}.
    - Today the four ages add up to {x} + {x + c} + {x - a} + {x - a - b} = {(t := 4 * x + c - 2 * a - b)}.
    - In two years each of the four has gained 2, together 4 * 2 = 8.
    - The sum will be {t} + 8 = {t + 8}.
    = {(x + 2) + (x + c + 2) + (x - a + 2) + (x - a - b + 2)}"""
    x, k, p = r.roll(24, 44, 4), r.roll(6, 12), r.person()
    yield f"""The walnut tree behind {p}'s house was planted on the day {p} turned {k}. {p} is now {x}. How old will
    {p} be when the tree is twice as old as it is today?
    - The tree is {x} - {k} = {x - k} years old.
    - Twice that is 2 * {x - k} = {2 * (x - k)}.
    - {p} is always {k} years older, so the age will be {2 * (x - k)} + {k} = {2 * x - k}.
    = {x + x - k}"""
    x, p, q = r.roll(10, 15), r.person(), r.person()
    k = r.roll(2, 4)
    yield f"""Five years ago {p} was three times as old as {q}. {q} is {x} now. How old is {p} today?
    - Five years ago {q} was {x} - 5 = {x - 5}.
    - {p} was then 3 * {x - 5} = {3 * (x - 5)}.
    - Today {p} is {3 * (x - 5)} + 5 = {3 * x - 10}.
    = {next(a for a in range(99) if a - 5 == 3 * (x - 5))}"""


@shape("queue")
def queue(r: Draw) -> Iterator[str]:
    p, n, m = r.person(), r.roll(6, 18), r.roll(7, 19)
    place = r.pick("post office", "bakery", "ticket booth")
    yield f"""In the line at the {place}, {p} is {ordinal(n)} from the front and {ordinal(m)} from the back. How many
    people are standing in line?
    - In front of {p} there are {n} - 1 = {n - 1} people.
    - Behind {p} there are {m} - 1 = {m - 1}.
    - With {p.him} that makes {n - 1} + {m - 1} + 1 = {n + m - 1} people.
    = {n + m - 1}"""
    n, k, x = r.roll(8, 14), r.roll(2, 4), r.roll(3, 6)
    p = r.person()
    yield f"""{p} arrives at the passport office, where {n * k} people are waiting for {k} desks. Every desk needs {x}
    minutes for a person, and all start afresh just now. How many minutes will it be until {p} is called?
    - The {k} desks take {k} people at a time, so those waiting need {n * k} / {k} = {n} rounds.
    - That takes {n} * {x} = {n * x} minutes, and then it is {p}'s turn.
    = {n * k * x // k}"""
    p, q, n, k, m = r.person(), r.person(), r.roll(20, 30), r.roll(4, 8), r.roll(5, 8)
    yield f"""{n} children line up for {r.pick("the slide", "face painting", "pony rides")}. {p} is the {ordinal(k)}
    from the front and {q} the {ordinal(m)} from the end. How many children stand between the two?
    - {k} children are needed to reach {p}, {p} included.
    - From {q} to the end there are {m}, {q} included.
    - Between them are {n} - {k} - {m} = {n - k - m} children.
    = {len(range(k + 1, n - m + 1))}"""
    p, n, a, b, c = r.person(), r.roll(16, 24), r.roll(3, 5), r.roll(2, 3), r.roll(2, 6)
    yield f"""{p} joins the checkout line as number {n}. {a} people are served, {b} ahead of {p.him} give up and
    leave, and then {p.he} lets 2 hurried customers go first. {c} more join behind {p.him}. What is {p.his} number in
    the line now?
    - Being served and giving up removes {a} + {b} = {a + b} people.
    - That moves {p} up to number {n} - {a + b} = {n - a - b}.
    - The two hurried customers push {p.him} back to {n - a - b} + 2 = {n - a - b + 2}; those behind change nothing.
    = {n + 2 - b - a}"""
    k, t, n, e = r.roll(6, 9), r.roll(3, 5), r.roll(4, 6), r.roll(2, 5)
    p = r.person()
    yield f"""A boat ride takes {k} passengers every {t} minutes; one boat is leaving right now. {p} has {n * k + e}
    people in front of {p.him}, but {e} of them are parents who only keep their children company and will not ride. A
    ride costs $6, and each one lasts {t - 1} minutes. How many minutes after now does {p}'s boat leave?
    - Only {n * k + e} - {e} = {n * k} people in front will ride.
    - They fill {n * k} / {k} = {n} boats.
    - {p} sits in boat number {n} + 1 = {n + 1} from now.
    - It leaves after {n + 1} * {t} = {(n + 1) * t} minutes.
    = {n * t + t}"""
    a, b, k, c = r.roll(8, 11), r.roll(4, 6), r.roll(9, 15), r.roll(3, 6)
    g = (a - b) * k
    yield f"""When a {r.pick("bakery", "museum", "stadium gate")} opens, {g} people are waiting outside. Each minute
    {b} more arrive and {a} are let in. Once nobody waits any longer, how many people have gone in altogether?
    - Each minute the crowd shrinks by {a} - {b} = {a - b}.
    - It is gone after {g} / {a - b} = {k} minutes.
    - By then {k} * {a} = {k * a} people have gone in.
    = {g + b * k}"""


@shape("reading", held_out=2)
def reading(r: Draw) -> Iterator[str]:
    p, n, m, x, d = r.person(), r.roll(12, 20), r.roll(21, 30), r.roll(6, 9), r.roll(4, 6)
    kind = r.pick("novel", "biography", "travel book")
    yield f"""{p} has a {kind} of {n * x + m * d} pages to finish before the club meets. In the first {x} days {p.he}
    read {n} pages a day. If {p.he} has {d} days left, how many pages a day are needed now?
    - So far {p} has read {x} * {n} = {x * n} pages.
    - {n * x + m * d} - {x * n} = {m * d} pages remain.
    - Over {d} days that is {m * d} / {d} = {m} pages a day.
    = {next(v for v in range(99) if n * x + v * d >= n * x + m * d)}"""
    n, k, m, p = r.roll(6, 9), r.roll(15, 20, 5), r.roll(5, 9), r.person()
    yield f"""It takes {p} {k} minutes to read {n} pages of
    {r.pick("a Russian grammar", "a chemistry textbook", "a legal report")}. How many minutes does {p.he} need for a
    chapter of {n * m} pages, with one break of 10 minutes?
    - The chapter is {n * m} / {n} = {m} times as long.
    - Reading takes {m} * {k} = {m * k} minutes.
    - With the break it is {m * k} + 10 = {m * k + 10} minutes.
    = {n * m * k // n + 10}"""
    x, k, n, p = r.roll(10, 20), r.roll(3, 6), r.roll(5, 7), r.person()
    rest = r.roll(25, 90)
    total = sum(x + k * d for d in range(n))
    yield f"""{p} reads {x} pages of a {total + rest}-page saga on Monday, and every day after that {k} pages more
    than the day before. How many pages are left after {n} days?
    - On day {n} {p} reads {x} + {n - 1} * {k} = {x + (n - 1) * k} pages.
    - First and last day together give {x} + {x + (n - 1) * k} = {2 * x + (n - 1) * k}.
    - As the pages rise evenly, {n} days give {n} * {2 * x + (n - 1) * k} / 2 = {total} pages.
    - That leaves {total + rest} - {total} = {rest} pages.
    = {total + rest - sum(range(x, x + n * k, k))}"""
    p, q, x, y, d = r.person(), r.person(), r.roll(15, 20), r.roll(24, 32, 2), r.roll(3, 5)
    k, rest = (y - x) * d, r.roll(40, 99)
    yield f"""{p} and {q} read the same book. {p} is on page {k} when {q} opens it for the first time. From then on
    {p} reads {x} pages a day and {q} reads {y}. The book has {k + x * d + rest} pages. How many pages has {p} still
    to read when {q} catches up?
    - Every day {q} comes {y} - {x} = {y - x} pages closer.
    - Catching up takes {k} / {y - x} = {d} days.
    - By then {q} has read {d} * {y} = {d * y} pages, and so has {p}.
    - Still to read are {k + x * d + rest} - {d * y} = {rest} pages.
    = {(k + x * d + rest) - (k + x * d)}"""
    n, a, b, c, p = r.roll(240, 360, 40), 4, r.pick(2, 5), r.roll(20, 40, 10), r.person()
    u, v = n // a, (n - n // a) // b
    w = n - u - v
    yield f"""On the flight to {r.pick("Manila", "Lima", "Nairobi")}, {p} reads 1/{a} of a {n}-page thriller. During
    the first evening there {p.he} reads 1/{b} of what is left. The next day {p.he} manages {c} pages before breakfast
    and half as many after dinner. How many pages remain?
    - On the flight {p} reads {n} / {a} = {u} pages.
    - That leaves {n} - {u} = {n - u}.
    - In the evening {p.he} reads {n - u} / {b} = {v} pages.
    - Then {n - u} - {v} = {w} pages are left.
    - The dinner reading is {c} / 2 = {c // 2} pages.
    - On the next day {p} reads {c} + {c // 2} = {c + c // 2} pages.
    - {w} - {c + c // 2} = {w - c - c // 2} pages remain.
    = {num(n * (a - 1) * (b - 1) - c * 3 * a * b // 2, a * b)}"""
    n = r.roll(120, 260, 5)
    yield f"""A printer stamps the page numbers 1 to {n} into a guest book, one digit at a time. How many digits does
    he stamp?
    - Pages 1 to 9 take 9 digits.
    - The 90 two-digit numbers take 90 * 2 = 180 digits.
    - There are {n} - 99 = {n - 99} numbers with three digits.
    - They take {n - 99} * 3 = {(n - 99) * 3} digits.
    - Altogether he stamps 9 + 180 + {(n - 99) * 3} = {189 + (n - 99) * 3} digits.
    = {sum(len(str(page)) for page in range(1, n + 1))}"""
    p, x, k, n = r.person(), r.roll(18, 28, 2), r.roll(4, 6), r.roll(3, 5)
    yield f"""Each issue of {p}'s favorite comic has {x + k} pages, of which {k} are advertisements that {p.he} always
    skips. {p.He} gets two issues a month and has fallen {n} months behind. How many pages are there for {p.him} to
    read?
    - An issue has {x + k} - {k} = {x} pages worth reading.
    - In {n} months 2 * {n} = {2 * n} issues have come.
    - That makes {2 * n} * {x} = {2 * n * x} pages.
    = {n * 2 * (x + k) - n * 2 * k}"""
