"""Headless Chromium, and what a page did in it: errors, requests, pictures."""

import base64
import json
import os
import pathlib
import zlib

from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service


def start():
    options = Options()
    options.binary_location = "/usr/bin/chromium"
    arguments = ["--headless=new", "--disable-dev-shm-usage", "--disable-gpu", "--hide-scrollbars"]
    if os.geteuid() == 0:
        arguments.append("--no-sandbox")
    for argument in arguments:
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    return webdriver.Chrome(service=Service("/usr/bin/chromedriver"), options=options)


def show(browser, page, width=1280, scheme="light"):
    """Opens a file as a screen of that width shows it."""
    metrics = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 600}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
    features = [{"name": "prefers-color-scheme", "value": scheme}]
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
    browser.get_log("performance")  # of the page before
    browser.get_log("browser")
    browser.get(pathlib.Path(page).as_uri())


def errors(browser):
    """All that the console got since the page was opened."""
    return [entry["message"] for entry in browser.get_log("browser")]


def requests(browser):
    """The addresses asked for since the page was opened, the page itself and data: included."""
    messages = [json.loads(entry["message"])["message"] for entry in browser.get_log("performance")]
    return [
        message["params"]["request"]["url"]
        for message in messages
        if message["method"] == "Network.requestWillBeSent"
    ]


def take_picture(browser, path):
    """The whole page as PNG; the number of different lines of its picture."""
    height = browser.execute_script("return document.documentElement.scrollHeight")
    width = browser.execute_script("return document.documentElement.clientWidth")
    clip = {"x": 0, "y": 0, "width": width, "height": min(height, 8000), "scale": 1}
    picture = browser.execute_cdp_cmd(
        "Page.captureScreenshot", {"format": "png", "captureBeyondViewport": True, "clip": clip}
    )
    png = base64.b64decode(picture["data"])
    pathlib.Path(path).write_bytes(png)
    return count_lines(png)


def count_lines(png):
    """How many different lines a PNG has: a blank page has one or two."""
    place, packed, line_bytes = 8, b"", 0
    while place < len(png):
        size = int.from_bytes(png[place : place + 4], "big")
        kind, chunk = png[place + 4 : place + 8], png[place + 8 : place + 8 + size]
        if kind == b"IHDR":
            samples = {2: 3, 6: 4}[chunk[9]]  # red, green, blue, and alpha
            line_bytes = 1 + samples * int.from_bytes(chunk[:4], "big")
        if kind == b"IDAT":
            packed += chunk
        place += 12 + size
    lines = zlib.decompress(packed)
    return len({lines[i : i + line_bytes] for i in range(0, len(lines), line_bytes)})


def count_pixels(browser, canvas, colour):
    """Pixels of a canvas that have the colour of the style sheet's variable."""
    return browser.execute_script(
        """
        const canvas = document.createElement('canvas');
        const shown = document.getElementById(arguments[0]);
        [canvas.width, canvas.height] = [shown.width, shown.height];
        const picture = canvas.getContext('2d', {willReadFrequently: true});
        picture.drawImage(shown, 0, 0);
        const hex = getComputedStyle(document.documentElement).getPropertyValue('--' + arguments[1]).trim();
        const [red, green, blue] = [1, 3, 5].map((place) => parseInt(hex.slice(place, place + 2), 16));
        const {data} = picture.getImageData(0, 0, canvas.width, canvas.height);
        let pixels = 0;
        for (let i = 0; i < data.length; i += 4)
          pixels += data[i] === red && data[i + 1] === green && data[i + 2] === blue;
        return pixels;""",
        canvas,
        colour,
    )


def count_tints(browser, canvas):
    """Pixels of a canvas that are rather green, as kernels are, and rather red, as communication is."""
    return browser.execute_script(
        """
        const shown = document.getElementById(arguments[0]);
        const {data} = shown.getContext('2d').getImageData(0, 0, shown.width, shown.height);
        const counts = [0, 0];
        for (let i = 0; i < data.length; i += 4) {
          if (data[i + 3] === 0) continue;
          if (data[i + 1] > data[i] + 30) ++counts[0];
          if (data[i] > data[i + 1] + 30) ++counts[1];
        }
        return counts;""",
        canvas,
    )
