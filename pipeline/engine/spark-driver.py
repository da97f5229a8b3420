"""Runs SQL for a build on Apache Spark: a line of JSON in, a line of JSON out. It ends with whoever started it."""

import json
import os
import queue
import shutil
import sys
import threading

# What Java and Python print is a log; answers have a stream of their own.
answers = os.fdopen(os.dup(1), "w")
os.dup2(2, 1)
saying = threading.Lock()
asked = queue.Queue()


def say(answer):
    with saying:
        answers.write(json.dumps(answer, default=str) + "\n")
        answers.flush()


def listen():
    for line in sys.stdin:
        asked.put(json.loads(line))
    # Nobody asks any more: Spark's own process ends when this one does.
    os._exit(0)


def tell(done, tracker):
    while not done.wait(0.2):
        stages = [tracker.getStageInfo(stage) for stage in tracker.getActiveStageIds()]
        known = [stage for stage in stages if stage]
        tasks = sum(stage.numTasks for stage in known)
        say({"working": {"tasks": tasks, "done": sum(stage.numCompletedTasks for stage in known)}})


threading.Thread(target=listen, daemon=True).start()
settings = asked.get()
try:
    from pyspark.sql import SparkSession
except ImportError:
    SparkSession = say({"missing": "pyspark"})
if SparkSession and not (shutil.which("java") or os.environ.get("JAVA_HOME")):
    SparkSession = say({"missing": "java"})
if SparkSession:
    builder = SparkSession.builder.appName("share-release")
    for name, value in settings.items():
        builder = builder.config(name, value)
    try:
        spark = builder.getOrCreate()
        say({"version": spark.version})
    except Exception as error:
        say({"failed": str(error)})
        asked.put(None)
    for sql in iter(asked.get, None):
        done = threading.Event()
        threading.Thread(target=tell, args=(done, spark.sparkContext.statusTracker()), daemon=True).start()
        try:
            answer = {"rows": [row.asDict() for row in spark.sql(sql).collect()]}
        except Exception as error:
            answer = {"failed": str(error)}
        done.set()
        say(answer)
    SparkSession.getActiveSession() and spark.stop()
