"""Speed, work, flow, fuel and units."""

from collections.abc import Iterator

from ..draw import Draw
from ..problem import shape
from ..words import clock, count, num, usd


@shape("speed", held_out=2)
def speed(r: Draw) -> Iterator[str]:
    p, v, h, w = r.person(), r.roll(14, 20), r.roll(2, 4), r.roll(10, 13)
    river = r.pick("Danube", "Loire", "Elbe")
    yield f"""{p} cycles along the {river} at {v} km an hour for {h} hours. After lunch there is a headwind, and the
    next 2 hours go at only {w} km an hour. How many kilometers does {p} cover?
    - Before lunch {p} rides {v} * {h} = {v * h} km.
    - After lunch it is {w} * 2 = {w * 2} km.
    - That makes {v * h} + {w * 2} = {v * h + w * 2} km.
    = {sum([v] * h) + w + w}"""
    v, h, k = r.roll(50, 80, 10), r.roll(3, 5), r.pick(5, 10)
    way = r.pick("from the quarry to the port", "from the dairy to the capital", "from the sawmill to the border")
    yield f"""A truck covers the {v * h} km {way} in {h} hours. A new road would let it go {k} km an hour faster on
    average. How many kilometers could it cover in the same time then?
    - At present the truck averages {v * h} / {h} = {v} km an hour.
    - With the new road it would do {v} + {k} = {v + k} km an hour.
    - In {h} hours that gives {v + k} * {h} = {(v + k) * h} km.
    = {v * h + k * h}"""
    v, h, m = r.roll(4, 6, 2), r.roll(1, 3), r.pick(15, 30, 45)
    yield f"""A hiking club walks at a steady {v} km an hour. It sets out at {clock(540)} and reaches the
    {r.pick("hut", "summit", "chapel")} at {clock(540 + h * 60 + m)} without a stop. How long is the path, in
    kilometers?
    - The walk takes {h} * 60 + {m} = {h * 60 + m} minutes.
    - In hours that is {h * 60 + m} / 60 = {num(h * 60 + m, 60)}.
    - The path is {num(h * 60 + m, 60)} * {v} = {num((h * 60 + m) * v, 60)} km long.
    = {num(v * h * 4 + v * m // 15, 4)}"""
    x, y, n, m = r.roll(60, 80, 5), r.roll(90, 110, 5), r.roll(2, 3), r.roll(2, 3)
    z, w, p = r.roll(25, 45, 5), r.roll(35, 55, 5), r.person()
    d = x * n + y * m + z
    yield f"""{p} drives a coach {num(d + 2 * w)} km from one coast to the other. The first {n} hours go over country
    roads at {x} km an hour, the next {m} over a motorway at {y} km an hour, and an hour in a valley full of road
    works brings only {z} km. There was also a pause of 40 minutes. If what remains of the way takes 2 hours, at what
    average speed is it driven, in km an hour?
    - The country roads make {n} * {x} = {n * x} km.
    - The motorway makes {m} * {y} = {m * y} km.
    - With the valley the coach has covered {n * x} + {m * y} + {z} = {d} km.
    - Still to go are {num(d + 2 * w)} - {d} = {2 * w} km.
    - In 2 hours that is {2 * w} / 2 = {w} km an hour.
    = {(d + 2 * w - n * x - m * y - z) // 2}"""
    p, k, x, y = r.person(), r.pick(400, 500, 600), r.roll(4, 6), r.roll(2, 3)
    yield f"""Around the lake runs a path of {num(k * x)} meters. {p} runs {k} meters in {y} minutes and keeps that
    up. How many minutes do two laps take {p.him}?
    - Two laps are 2 * {num(k * x)} = {num(2 * k * x)} meters.
    - That is {num(2 * k * x)} / {k} = {2 * x} times the stretch of {k} meters.
    - It takes {2 * x} * {y} = {2 * x * y} minutes.
    = {2 * k * x * y // k}"""
    a, b = r.roll(6, 10), r.roll(3, 5)
    yield f"""A canoe covers {a * b} miles downstream in {b} hours. Against the current the same stretch takes {a}
    hours. How many miles per hour faster is the canoe going downstream?
    - Downstream the speed is {a * b} / {b} = {a} miles per hour.
    - Upstream it is {a * b} / {a} = {b} miles per hour.
    - Downstream it is faster by {a} - {b} = {count(a - b, "mile")} per hour.
    = {num(a * b * a - a * b * b, a * b)}"""
    p, k = r.person(), r.roll(15, 30, 5)
    yield f"""{p} jogs to the {r.pick("library", "beach", "allotment")} in {k} minutes, stays there for {k + 20}
    minutes and walks back at half the speed. How many minutes is {p} away from home?
    - Half the speed means twice the time, so the way back takes 2 * {k} = {2 * k} minutes.
    - {p} is away for {k} + {k + 20} + {2 * k} = {4 * k + 20} minutes.
    = {20 + 4 * k}"""


@shape("meeting")
def meeting(r: Draw) -> Iterator[str]:
    a, b, h = r.roll(12, 18), r.roll(14, 22), r.roll(2, 4)
    p, q = r.person(), r.person()
    yield f"""Two villages are {(a + b) * h} km apart. At the same moment {p} sets out from one and {q} from the
    other, cycling toward each other at {a} and {b} km an hour. After how many hours do they meet?
    - Every hour the gap closes by {a} + {b} = {a + b} km.
    - The gap is gone after {(a + b) * h} / {a + b} = {h} hours.
    = {next(t for t in range(1, 99) if a * t + b * t >= (a + b) * h)}"""
    a, h, p = r.pick(40, 50, 60), r.roll(2, 3), r.person()
    yield f"""A delivery van leaves the depot at {a} km an hour. {h} hours later {p} notices a forgotten parcel and
    follows by motorcycle at {a + a // 2} km an hour on the same road. How far from the depot, in km, does {p} reach
    the van?
    - The van has a lead of {a} * {h} = {a * h} km.
    - {p} gains {a + a // 2} - {a} = {a // 2} km every hour.
    - Catching up takes {a * h} / {a // 2} = {2 * h} hours.
    - In that time the motorcycle goes {2 * h} * {a + a // 2} = {3 * a * h} km.
    = {a * (h + 2 * h)}"""
    a, b, m = r.roll(70, 90, 5), r.roll(95, 120, 5), r.roll(2, 5)
    yield f"""A freight train passes a signal box at {clock(600)}, going {a} km an hour. An express on the next track
    passes the same box at the same time in the opposite direction, at {b} km an hour. How many kilometers apart are
    they at {clock(600 + 60 * m)}?
    - From {clock(600)} to {clock(600 + 60 * m)} is {m} hours.
    - They move apart at {a} + {b} = {a + b} km an hour.
    - The distance is {m} * {a + b} = {m * (a + b)} km.
    = {a * m + b * m}"""
    p, q, a, b, k = r.person(), r.person(), r.roll(3, 5), r.roll(6, 8), r.roll(4, 7)
    yield f"""On a running track, {p} walks {a} laps in half an hour and {q} runs {b} laps in the same time. They
    start together. By the time {q} has finished {b * k} laps, how many laps is {p} behind?
    - {q} needs {b * k} / {b} = {k} half hours.
    - In that time {p} walks {k} * {a} = {k * a} laps.
    - {p} is behind by {b * k} - {k * a} = {(b - a) * k} laps.
    = {(b - a) * k}"""
    a, b, t, k = r.roll(20, 26, 2), r.roll(28, 36, 2), r.roll(2, 3), r.roll(6, 12)
    yield f"""Two ferries sail toward each other from islands {(a + b) * t + a + k} km apart. The slow one makes {a}
    km an hour and leaves an hour earlier; the fast one makes {b} km an hour. How far apart are they {t} hours after
    the fast one has left? There is a strong wind, but both keep to their speeds.
    - When the fast ferry leaves, the slow one has covered {a} km.
    - The gap is then {(a + b) * t + a + k} - {a} = {(a + b) * t + k} km.
    - In {t} hours the slow ferry covers {t} * {a} = {t * a} km.
    - The fast one covers {t} * {b} = {t * b} km.
    - Together they close {t * a} + {t * b} = {t * (a + b)} km of the gap.
    - They are {(a + b) * t + k} - {t * (a + b)} = {k} km apart.
    = {(a + b) * t + a + k - (t + 1) * a - t * b}"""
    p, q, v, w, t = r.person(), r.person(), r.roll(70, 90, 10), r.roll(45, 60, 5), r.roll(3, 6)
    yield f"""{p} walks {v} meters a minute and {q} {w}. They leave the same house {t} minutes apart, {q} first, and
    go the same way to {r.pick("the market", "school", "the pier")}, {num(v * 20)} meters off. How many meters is {q}
    from the house when {p} gets there?
    - {p} needs {num(v * 20)} / {v} = 20 minutes.
    - {q} has been walking for 20 + {t} = {20 + t} minutes by then.
    - {q} is {20 + t} * {w} = {num((20 + t) * w)} meters from the house.
    = {num(20 * w + t * w)}"""


@shape("teamwork")
def teamwork(r: Draw) -> Iterator[str]:
    a, b, t = r.pick((3, 6, 2), (4, 12, 3), (6, 12, 4), (10, 15, 6), (20, 30, 12))
    p, q = r.person(), r.person()
    yield f"""{p} alone would need {a} hours to paint the {r.pick("fence", "gym", "boat")}; {q} alone would need {b}.
    How many hours will it take them together?
    - In {b} hours {p} could paint {b} / {a} = {num(b * 2 // a, 2)} of them and {q} one.
    - Together that is {num(b * 2 // a, 2)} + 1 = {num(b * 2 // a + 2, 2)} in {b} hours.
    - A single one takes {b} / {num(b * 2 // a + 2, 2)} = {t} hours.
    = {num(a * b, a + b)}"""
    n, d, m = r.pick((6, 10, 5), (4, 9, 6), (8, 6, 4), (9, 8, 6), (6, 12, 8))
    yield f"""{n} bricklayers would finish a wall in {d} days. Only {m} of them turn up. Working at the same pace, how
    many days do these need?
    - The wall takes {n} * {d} = {n * d} days of one person's work.
    - Divided among {m}, that is {n * d} / {m} = {num(n * d, m)} days.
    = {num(d * n, m)}"""
    x, y, n = r.roll(8, 12), r.roll(5, 7), r.roll(6, 10)
    p, q = r.person(), r.person()
    yield f"""{p} folds {x} paper boats in ten minutes, {q} only {y}. Working side by side they are to fold
    {(x + y) * n} boats for the {r.pick("lantern feast", "school window", "harbor fair")}. How many minutes must they
    work?
    - In ten minutes they fold {x} + {y} = {x + y} boats.
    - They need {(x + y) * n} / {x + y} = {n} stretches of ten minutes.
    - That is {n} * 10 = {n * 10} minutes.
    = {(x + y) * n * 10 // (x + y)}"""
    x, y, h, k = r.roll(30, 50, 5), r.roll(20, 28, 2), r.roll(2, 4), r.roll(3, 5)
    g = x * (h + k) + y * k
    yield f"""An old and a new machine fill jars. The new one fills {x} jars an hour, the old one {y}. In the morning
    the new machine runs alone for {h} hours; then the old one is switched on as well. A cleaner comes at noon without
    stopping them. The order is for {g} jars. How many hours after the start is it complete?
    - Alone, the new machine fills {h} * {x} = {h * x} jars.
    - That leaves {g} - {h * x} = {g - h * x} jars.
    - Both together fill {x} + {y} = {x + y} an hour.
    - They need {g - h * x} / {x + y} = {k} hours for the remaining jars.
    - The order is complete after {h} + {k} = {h + k} hours.
    = {next(t for t in range(99) if x * t + y * max(0, t - h) >= g)}"""
    x, y, n, m, d = r.roll(12, 18), r.roll(7, 10), r.roll(3, 4), r.roll(2, 3), r.roll(3, 5)
    g = (n * x + m * y) * d
    yield f"""On {r.pick("an apple", "a cherry", "a pear")} farm an experienced picker fills {x} crates a day and a
    beginner {y}. The farm has {n} experienced pickers and {m} beginners for {d} days. {g + 40} crates must be filled;
    the farmer picks the rest on {r.pick("Sunday", "the last day")}. Each crate earns the farm $9, and $4 of this is
    spent on wages and boxes. What does the farm keep from the crates the pickers filled?
    - The experienced pickers fill {n} * {x} = {n * x} crates a day.
    - The beginners fill {m} * {y} = {m * y}.
    - In a day that is {n * x} + {m * y} = {n * x + m * y} crates.
    - In {d} days it is {d} * {n * x + m * y} = {g} crates.
    - Of each crate the farm keeps $9 - $4 = $5.
    - From the pickers' crates it keeps {g} * $5 = {usd(g * 500)}.
    = {usd(d * 500 * n * x + d * 500 * m * y)}"""
    k, x, y = r.roll(2, 3), r.roll(4, 6), r.roll(30, 50, 10)
    yield f"""A workshop has {x} 3D printers, which produce {x * y} chess pieces in {k} hours. If two more printers of
    the same kind are bought, how many pieces will all of them produce in {2 * k} hours?
    - One printer produces {x * y} / {x} = {y} pieces in {k} hours.
    - In {2 * k} hours it produces 2 * {y} = {2 * y}.
    - There will be {x} + 2 = {x + 2} printers.
    - Together they produce {x + 2} * {2 * y} = {(x + 2) * 2 * y} pieces.
    = {(x * y + 2 * y) * 2}"""


@shape("tank")
def tank(r: Draw) -> Iterator[str]:
    a, b, t = r.roll(12, 18), r.roll(3, 6), r.roll(15, 30, 5)
    vessel = r.pick("stone trough", "paddling pool", "laundry vat")
    yield f"""A {vessel} holds {(a - b) * t} liters. The tap gives {a} liters a minute, but the drain does not close
    properly and {b} liters a minute run out again. How many minutes does it take until the empty {vessel} is full?
    - Each minute the water rises by {a} - {b} = {a - b} liters.
    - It is full after {(a - b) * t} / {a - b} = {t} minutes.
    = {next(m for m in range(999) if a * m - b * m >= (a - b) * t)}"""
    v, x, h, k = r.roll(600, 900, 100), r.roll(15, 25), r.roll(4, 8), r.roll(2, 3)
    yield f"""The water tank of a mountain hut holds {v} liters and is full. For {h} hours it loses {x} liters an hour
    through a crack; then the crack is sealed and {k} guests each take {x} liters for a shower. How many liters are
    left?
    - The crack costs {h} * {x} = {h * x} liters.
    - The showers cost {k} * {x} = {k * x} liters.
    - What is left is {v} - {h * x} - {k * x} = {v - (h + k) * x} liters.
    = {v - (h + k) * x}"""
    a, b, t = r.roll(20, 30, 2), r.roll(30, 44, 2), r.roll(3, 6)
    n = (a + b) * t
    yield f"""One pump moves {a} gallons a minute, another {b}. A flooded
    {r.pick("cellar", "underpass", "boiler room")} contains {n} gallons. How many minutes do both pumps together need
    to empty half of it?
    - Together the pumps move {a} + {b} = {a + b} gallons a minute.
    - Half the water is {n} / 2 = {n // 2} gallons.
    - That takes {n // 2} / {a + b} = {num(t, 2)} minutes.
    = {num(n, 2 * (a + b))}"""
    v, a, b, t, k = r.roll(40, 60, 5), r.roll(6, 9), r.roll(2, 4), r.roll(10, 15), r.roll(5, 9)
    cap = v + a * t + (a - b) * k
    yield f"""An aquarium of {cap} liters already has {v} liters in it. The hose delivers {a} liters a minute. After
    {t} minutes a cleaning cycle starts, and from then on it takes {b} liters a minute out again. The fish, bought for
    $30, wait in a bucket. How many minutes in all must the hose run to fill the aquarium?
    - In the first {t} minutes the hose adds {t} * {a} = {t * a} liters.
    - That brings the water to {v} + {t * a} = {v + t * a} liters.
    - Missing are {cap} - {v + t * a} = {cap - v - t * a} liters.
    - With the cleaning cycle on, the gain is {a} - {b} = {a - b} liters a minute.
    - Filling up takes another {cap - v - t * a} / {a - b} = {k} minutes.
    - The hose runs for {t} + {k} = {t + k} minutes.
    = {next(m for m in range(999) if v + a * m - b * max(0, m - t) >= cap)}"""
    d, n, p = r.pick(5, 10, 15), r.roll(3, 8), r.person()
    yield f"""A dripping tap in {p}'s kitchen loses {d} milliliters a minute. {p} catches the drops in a pot that
    holds {num(d * 60 * n, 1000)} liters. After how many hours is the pot full?
    - In an hour {d} * 60 = {d * 60} milliliters collect.
    - The pot holds {num(d * 60 * n, 1000)} * 1,000 = {num(d * 60 * n)} milliliters.
    - It is full after {num(d * 60 * n)} / {d * 60} = {n} hours.
    = {next(h for h in range(1, 99) if h * 60 * d >= d * 60 * n)}"""
    k, x, y = r.roll(4, 7), r.pick(15, 20, 25), r.pick(4, 5, 10)
    yield f"""A cistern was {x}% full. After {k} equal bucketfuls had been poured in, it was {x + y * k}% full. How
    many such bucketfuls does the whole cistern hold?
    - The bucketfuls raised the level by {x + y * k} - {x} = {y * k} percentage points.
    - One bucketful gives {y * k} / {k} = {y} of them.
    - The whole cistern holds 100 / {y} = {100 // y} bucketfuls.
    = {100 * k // (y * k)}"""


@shape("fuel")
def fuel(r: Draw) -> Iterator[str]:
    x, n, y, p = r.roll(5, 8), r.roll(3, 7), r.roll(150, 190, 5), r.person()
    yield f"""{p}'s car uses {x} liters of petrol for 100 km. A liter costs {usd(y, "€")}. What does the petrol for a
    trip of {n * 100} km cost, in euros?
    - {n * 100} km are {n * 100} / 100 = {n} times 100 km.
    - The trip takes {n} * {x} = {n * x} liters.
    - That costs {n * x} * {usd(y, "€")} = {usd(n * x * y, "€")}.
    = {num(n * x * y, 100)}"""
    m, g, k = r.pick(24, 28, 30, 32), r.roll(12, 16), r.roll(3, 5)
    town, d = r.pick("Santa Fe", "Billings", "Amarillo"), (k - 1) * r.pick(8, 9, 10)
    yield f"""A pickup gets {m} miles to the gallon. It started with a full tank of {g} gallons and now has {k} left;
    {town} is {d} miles away. How many miles has it come so far?
    - It has used {g} - {k} = {g - k} gallons.
    - They were good for {g - k} * {m} = {(g - k) * m} miles.
    = {g * m - k * m}"""
    x, y, d, c = 40, r.pick(20, 24, 30), r.pick(480, 960), r.roll(3, 4)
    yield f"""For a {d}-mile journey the {r.pick("Okafor", "Lindgren", "Nguyen")} family can take the small car, which
    goes {x} miles on a gallon, or the van, which goes {y}. Gas costs ${c} a gallon. How much would they save with the
    small car?
    - The small car needs {d} / {x} = {d // x} gallons.
    - The van needs {d} / {y} = {d // y} gallons.
    - The small car needs {d // y} - {d // x} = {d // y - d // x} gallons less.
    - That saves {d // y - d // x} * ${c} = ${(d // y - d // x) * c}.
    = {d * c // y - d * c // x}"""
    n, x, y, k = r.roll(4, 6), r.roll(12, 18, 2), r.roll(20, 30, 5), r.roll(8, 12)
    t, rest = n * x + 2 * y, r.roll(60, 120, 5)
    yield f"""A fishing boat burns {x} liters of diesel an hour at sea and {y} liters for each entry into a harbor. On
    Friday it was at sea for {n} hours and entered 2 harbors; a crate of ice on board weighed {k} kg. The tank had
    held {t + rest} liters. How much diesel was left?
    - At sea the boat burned {n} * {x} = {n * x} liters.
    - The harbors took 2 * {y} = {2 * y} liters.
    - Together that is {n * x} + {2 * y} = {t} liters.
    - {t + rest} - {t} = {rest} liters were left.
    = {t + rest - n * x - y - y}"""
    a, b, c, d, e = r.roll(4, 6), r.roll(7, 9), r.roll(2, 4), r.roll(3, 5), r.pick(160, 170, 180)
    yield f"""{r.person()}'s car takes {a} liters for 100 km on the highway and {b} liters in town. In a month it does
    {c * 100} km on the highway and {d * 100} km in town. How many dollars would be saved in that month, at {usd(e)} a
    liter, if all the town driving were done by bus for a pass of $9?
    - On the town kilometers the car burns {d} * {b} = {d * b} liters.
    - They cost {d * b} * {usd(e)} = {usd(d * b * e)}; the highway part stays as it is.
    - With the pass paid, the saving is {usd(d * b * e)} - $9 = {usd(d * b * e - 900)}.
    = {usd((c * a + d * b) * e - c * a * e - 900)}"""
    n, k, x, p = r.roll(5, 12), r.roll(4, 7), r.roll(5, 6), r.person()
    yield f"""{p}'s wood stove burns {k} logs in an evening and is lit on {x} evenings a week. Half of the
    {2 * n * k * x} logs in the shed are promised to a neighbor. For how many weeks can {p} heat with the others?
    - {p} may burn {2 * n * k * x} / 2 = {n * k * x} logs.
    - A week takes {x} * {k} = {x * k} logs.
    - The logs last {n * k * x} / {x * k} = {n} weeks.
    = {2 * n * k * x // k // x // 2}"""


@shape("conversion")
def conversion(r: Draw) -> Iterator[str]:
    n, x, p = r.roll(3, 6), r.pick(125, 200, 250), r.person()
    c = n * 1000 // x
    yield f"""{p} has {n} liters of elderflower cordial and bottles of {x} milliliters. How many bottles can {p.he}
    fill?
    - {n} liters are {n} * 1,000 = {num(n * 1000)} milliliters.
    - That fills {num(n * 1000)} / {x} = {c} bottles.
    = {n * 1000 // x}"""
    f, i, n = r.roll(4, 7), r.roll(2, 9), r.roll(3, 5)
    yield f"""A shelf board is {f} feet {i} inches long. {r.person()} needs {n} of them. How many inches of board is
    that altogether?
    - {f} feet are {f} * 12 = {f * 12} inches.
    - One board measures {f * 12} + {i} = {f * 12 + i} inches.
    - {n} boards measure {n} * {f * 12 + i} = {n * (f * 12 + i)} inches.
    = {n * f * 12 + n * i}"""
    x, k, n = r.roll(12, 24, 2), r.pick(250, 500), r.roll(2, 4)
    yield f"""A sack holds {x} kg of bird seed. The feeder takes {k} grams a day in winter. After {n} weeks of winter,
    how many kilograms remain?
    - {n} weeks are {n} * 7 = {n * 7} days.
    - The feeder takes {n * 7} * {k} = {num(n * 7 * k)} grams.
    - In kilograms that is {num(n * 7 * k)} / 1,000 = {num(n * 7 * k, 1000)}.
    - {x} - {num(n * 7 * k, 1000)} = {num(x * 1000 - n * 7 * k, 1000)} kg remain.
    = {num(x * 1000 - 7 * n * k, 1000)}"""
    c = r.pick(10, 15, 20, 25, 30)
    yield f"""An American recipe app is set to Fahrenheit, and {r.person()}'s kitchen thermometer shows {c} degrees
    Celsius. To convert, you multiply by 9, divide by 5 and add 32. What does the app show for this temperature?
    - Multiplying gives {c} * 9 = {c * 9}.
    - Dividing gives {c * 9} / 5 = {c * 9 // 5}.
    - Adding gives {c * 9 // 5} + 32 = {c * 9 // 5 + 32} degrees.
    = {num(c * 18 + 320, 10)}"""
    h, m, n, k = r.roll(2, 3), r.roll(10, 50, 5), r.roll(3, 4), r.roll(15, 25, 5)
    rest = h * 60 + m - n * k
    yield f"""The recorded tour of a castle runs for {h} hours and {m} minutes. For the new players it is cut into
    {n + 1} parts: {n} of {k} minutes each, and one with whatever remains. A beep of 2 seconds is added at the end of
    every part. How many seconds does the remaining part run, beep included?
    - The hours make {h} * 60 = {h * 60} minutes.
    - The tour runs for {h * 60} + {m} = {h * 60 + m} minutes.
    - The equal parts take {n} * {k} = {n * k} minutes.
    - {h * 60 + m} - {n * k} = {rest} minutes remain.
    - In seconds that is {rest} * 60 = {num(rest * 60)}.
    - With the beep it is {num(rest * 60)} + 2 = {num(rest * 60 + 2)} seconds.
    = {num((h * 3600 + m * 60) - n * k * 60 + 2)}"""
    g, q, n = r.roll(2, 4), r.roll(1, 3), r.roll(6, 9)
    yield f"""A farm stand squeezed {g} gallons and {count(q, "quart")} of cider and has already poured {n} cups of
    it. There are 4 quarts in a gallon and 4 cups in a quart. How many cups are left?
    - {g} gallons are {g} * 4 = {g * 4} quarts.
    - With the rest that makes {g * 4} + {q} = {g * 4 + q} quarts.
    - In cups it is {g * 4 + q} * 4 = {(g * 4 + q) * 4}.
    - {(g * 4 + q) * 4} - {n} = {(g * 4 + q) * 4 - n} cups are left.
    = {g * 16 + q * 4 - n}"""
