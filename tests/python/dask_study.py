# SPDX-License-Identifier: MIT
"""The members of a study in processes of a Client, and as a bag and as delayed calls of Dask: the bits of one process."""
import os
import tempfile

import dask
import dask.bag
import numpy
from distributed import Client, LocalCluster

import interfield
from package_study import CASE, STUDY, top


def top_or_error(variant):
    """One member raises: the others continue."""
    if variant.number == 5:
        raise ValueError("no such column")
    return top(variant)


def main():
    with tempfile.TemporaryDirectory() as folder:
        for name, text in (("case.yaml", CASE), ("study.yaml", STUDY)):
            with open(os.path.join(folder, name), "w", encoding="utf-8") as f:
                f.write(text)
        path = os.path.join(folder, "study.yaml")
        here = numpy.asarray(interfield.study(path, reduce=top)["own"])
        with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None, host="127.0.0.1") as cluster:
            with Client(cluster) as client:
                table = interfield.study(path, reduce=top_or_error, executor=client)
        assert list(table["member"]) == list(range(8))
        assert table["error"][5] == "no such column" and sum(isinstance(text, str) for text in table["error"]) == 1
        there = numpy.asarray(table["own"])
        assert all(there[k] == here[k] for k in range(8) if k != 5), (there, here)
        bag = dask.bag.from_sequence(interfield.Study(path), npartitions=2).map(top)
        assert [row["own"] for row in bag.compute(scheduler="threads")] == list(here)
        calls = [dask.delayed(top)(variant) for variant in interfield.Study(path)]
        assert [row["own"] for row in dask.compute(*calls, scheduler="synchronous")] == list(here)


if __name__ == "__main__":
    main()
    print("Dask: a client with two processes, a bag and delayed calls give the bits of one process")
