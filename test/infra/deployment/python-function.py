"""Runs the handler of a Python function on the event of standard input: FOLDER-OF-FUNCTION FILE-OF-AWS-CLI."""

import importlib
import json
import subprocess
import sys
from types import SimpleNamespace

folder, aws_cli = sys.argv[1:]
check_call = subprocess.check_call
# The handler names the AWS CLI by the path at which Lambda mounts its layer.
subprocess.check_call = lambda command: check_call([sys.executable, aws_cli, *command[1:]])
sys.path.insert(0, folder)
importlib.import_module("index").handler(json.load(sys.stdin), SimpleNamespace(log_stream_name="log"))
