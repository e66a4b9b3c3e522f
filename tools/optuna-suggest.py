"""Suggests the trials of `limitbot search --suggest "python3 tools/optuna-suggest.py"` by Optuna's TPE: pip install optuna.

The order of a key's values counts: they are sampled as whole numbers from the first to the last.
"""
import json
import sys

import optuna

optuna.logging.set_verbosity(optuna.logging.WARNING)
first = json.loads(sys.stdin.readline())
space = {key["path"]: key["values"] for key in first["space"]}
numbers = {path: optuna.distributions.IntDistribution(0, len(values) - 1) for path, values in space.items()}
sampler = optuna.samplers.TPESampler(seed=first["seed"], multivariate=True, constant_liar=True)
study = optuna.create_study(direction=first["direction"], sampler=sampler)
asked = {}

for line in sys.stdin:
    message = json.loads(line)
    if "known" in message:
        known = message["known"]
        params = {path: space[path].index(value) for path, value in known["values"].items()}
        study.add_trial(optuna.trial.create_trial(params=params, distributions=numbers, value=known["score"]))
    elif "ask" in message:
        for _ in range(message["ask"]):
            trial = study.ask(numbers)
            asked[trial.number] = trial
            values = {path: space[path][trial.params[path]] for path in space}
            print(json.dumps({"id": trial.number, "values": values}), flush=True)
    elif "tell" in message:
        trial = asked.pop(message["tell"])
        if message["score"] is None:
            study.tell(trial, state=optuna.trial.TrialState.FAIL)
        else:
            study.tell(trial, message["score"])
