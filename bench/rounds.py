"""Interleaved rounds: what else the machine does meets all targets alike."""

import statistics


def interleaved(n_rounds, actions):
    """Calls every action of {key: action} once in each round; each round starts with another one. Returns {key: [result]}."""
    keys, results = list(actions), {key: [] for key in actions}
    for number in range(n_rounds):
        first = number % len(keys)
        for key in keys[first:] + keys[:first]:
            results[key].append(actions[key]())
    return results


def medians(samples):
    """The median of each member of a list of dicts of numbers."""
    return {key: statistics.median(s[key] for s in samples) for key in samples[0]}
