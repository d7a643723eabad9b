"""Plans the tour of the mobile library through nine villages."""

from dataclasses import dataclass

MINUTES_PER_STOP = 35
DEPOT = "Hexham"


@dataclass(frozen=True)
class Village:
    name: str
    distance_km: float
    readers: int


VILLAGES = [
    Village("Acomb", 3.1, 88),
    Village("Wall", 6.4, 41),
    Village("Humshaugh", 9.0, 67),
    Village("Wark", 17.8, 93),
    Village("Bellingham", 26.5, 154),
]


def worth(village: Village) -> float:
    """Readers reached for each kilometre, so near and busy places come first."""
    return village.readers / village.distance_km


def plan(villages: list[Village], minutes: int) -> list[Village]:
    tour: list[Village] = []
    left = minutes
    for village in sorted(villages, key=worth, reverse=True):
        needed = MINUTES_PER_STOP + round(village.distance_km * 1.8)
        if needed > left:
            continue
        tour.append(village)
        left -= needed
    return tour


if __name__ == "__main__":
    for stop in plan(VILLAGES, 240):
        print(f"{DEPOT} -> {stop.name}: {stop.readers} readers")
