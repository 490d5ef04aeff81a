"""Errors that a framework catches: what `install` sees of them, and how they are investigated."""

import os
import subprocess
import sys

DJANGO = """
import sys
import django
from django.conf import settings
from django.http import HttpResponse
from django.test import Client
from django.urls import path
from klendathu import investigate

def view(request):
    price = {"amount": 5}
    return HttpResponse(price["missing"])

def investigating(get_response):
    def middleware(request):
        return get_response(request)
    def process_exception(request, error):
        print(investigate(error, instructions="locals 0").result())
    middleware.process_exception = process_exception
    return middleware

settings.configure(ROOT_URLCONF=__name__, ALLOWED_HOSTS=["*"], MIDDLEWARE=[__name__ + ".investigating"], DEBUG=False)
django.setup()
urlpatterns = [path("", view)]
print(Client(raise_request_exception=False).get("/").status_code)
"""

TASK = """
import asyncio, gc
from klendathu import install, investigate
install()

async def fail():
    wanted = "a"
    return {}[wanted]

def handle(loop, context):
    print(investigate(context["exception"], instructions="locals 0").result())

async def main(handler):
    if handler:
        asyncio.get_running_loop().set_exception_handler(handle)
    task = asyncio.create_task(fail())
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    del task
    gc.collect()
    await asyncio.sleep(0)

import sys
asyncio.run(main(sys.argv[1:] == ["handler"]))
"""

UNITTEST = """
import unittest
from klendathu import install
install()

class Case(unittest.TestCase):
    def test_it(self):
        {}["a"]

unittest.main()
"""


def run(folder, code, *words):
    (folder / "program.py").write_text(code)
    return subprocess.run(
        [sys.executable, "program.py", *words], cwd=folder, capture_output=True, text=True, timeout=120, env=os.environ
    )


def test_django_in_a_middleware(tmp_path):
    done = run(tmp_path, DJANGO)
    assert done.stdout.splitlines()[-1] == "500", done.stderr
    assert "amount" in done.stdout


def test_a_task_whose_error_nothing_reads_in_a_handler(tmp_path):
    done = run(tmp_path, TASK, "handler")
    assert "'a'" in done.stdout, done.stderr


def test_a_task_whose_error_nothing_reads_is_not_seen(tmp_path):
    done = run(tmp_path, TASK)
    assert "never retrieved" in done.stderr and "klendathu:" not in done.stderr


def test_the_runner_of_unittest_is_not_seen(tmp_path):
    done = run(tmp_path, UNITTEST)
    assert done.returncode == 1 and "KeyError" in done.stderr and "klendathu:" not in done.stderr
