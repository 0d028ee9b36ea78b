"""A test case with a folder of its own, for tests of the command line."""
import pathlib
import tempfile
import unittest


class InFolder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def fails(self, done, status, *texts):
        """The command ended with this status, and said all of these."""
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        for text in texts:
            self.assertIn(text, done.stderr)
