"""What a run leaves behind is whole or not there."""
import json, tarfile, zipfile


def wrong_with(path):
    """What is wrong with an output, or None."""
    try:
        if path.endswith(".json"):
            with open(path, encoding="utf-8") as f:
                json.load(f)
        elif path.endswith(".html"):
            with open(path, encoding="utf-8") as f:
                return None if f.read().rstrip().endswith("</html>") else "cut"
        elif path.endswith(".xlsx"):
            with zipfile.ZipFile(path) as z:
                return z.testzip()
        elif path.endswith((".tar", ".tar.gz")):
            with tarfile.open(path) as t:
                return None if len(t.getnames()) else "empty"
    except (ValueError, OSError, zipfile.BadZipFile, tarfile.TarError, EOFError) as e:
        return repr(e)
    return None
