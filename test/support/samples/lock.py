"""Saves a document under the password `secret`, as its reader would in LibreOffice.

It needs Debian's python3-uno and the system's own Python, since LibreOffice's bridge is built for that:

    /usr/bin/python3 test/support/samples/lock.py FROM TO FILTER
"""

import subprocess
import sys
import tempfile
import time
from pathlib import Path

import uno
from com.sun.star.beans import PropertyValue
from com.sun.star.connection import NoConnectException

PIPE = "errand-samples"


def connected():
    local = uno.getComponentContext()
    resolver = local.ServiceManager.createInstanceWithContext("com.sun.star.bridge.UnoUrlResolver", local)
    for _ in range(200):
        try:
            return resolver.resolve(f"uno:pipe,name={PIPE};urp;StarOffice.ComponentContext")
        except NoConnectException:
            time.sleep(0.1)
    raise SystemExit("LibreOffice does not answer.")


def option(name: str, value):
    return PropertyValue(Name=name, Value=value)


def main(source: str, target: str, filter_name: str) -> None:
    with tempfile.TemporaryDirectory() as profile:
        office = subprocess.Popen(["soffice", f"-env:UserInstallation={Path(profile).as_uri()}", "--headless",
                                   "--norestore", f"--accept=pipe,name={PIPE};urp;"],
                                  stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            context = connected()
            desktop = context.ServiceManager.createInstanceWithContext("com.sun.star.frame.Desktop", context)
            document = desktop.loadComponentFromURL(Path(source).resolve().as_uri(), "_blank", 0, (option("Hidden", True),))
            options = (option("FilterName", filter_name), option("Password", "secret"))
            document.storeToURL(Path(target).resolve().as_uri(), options)
            document.close(True)
            desktop.terminate()
            office.wait(30)
        finally:
            office.kill()


if __name__ == "__main__":
    main(*sys.argv[1:])
