"""Runs SQL for a build on Apache Spark. Each statement is a line of JSON, and so are the answers. Ends with its parent."""

import json
import os
import queue
import shutil
import sys
import threading

# Java and Python print their log to standard output, so it is redirected, and the answers go to a copy of it.
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
    # The parent has closed the input, so no more statements follow. Spark's Java process ends with this one.
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
