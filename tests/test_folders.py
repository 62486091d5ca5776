"""Where downloads, compiled code and data are kept."""

from tapegrad.folders import cache_directory, get_data_root, get_project_root


def test_cache_directory(monkeypatch, tmp_path):
    monkeypatch.setattr("sys.platform", "linux")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cache_directory() == tmp_path / "tapegrad"
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert cache_directory() == tmp_path / ".cache" / "tapegrad"
    monkeypatch.setattr("sys.platform", "darwin")
    assert cache_directory() == tmp_path / "Library" / "Caches" / "tapegrad"
    monkeypatch.setattr("sys.platform", "win32")
    monkeypatch.setenv("LOCALAPPDATA", str(tmp_path / "local"))
    assert cache_directory() == tmp_path / "local" / "tapegrad"


def test_the_project_is_the_nearest_folder_with_a_mark(monkeypatch, tmp_path):
    inner = tmp_path / "project" / "package" / "inner"
    inner.mkdir(parents=True)
    monkeypatch.chdir(inner)
    for mark in ("pyproject.toml", "setup.py", ".git"):
        (tmp_path / "project" / mark).touch()
        assert get_project_root() == str(tmp_path / "project")
        assert get_data_root() == str(tmp_path / "project" / "data")
        (tmp_path / "project" / mark).unlink()
    (tmp_path / ".git").mkdir()
    (inner / "setup.py").touch()
    assert get_project_root() == str(inner)


def test_without_a_project_it_is_the_working_directory(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("tapegrad.folders.MARKS", ("no-such-mark",))
    assert get_project_root() == str(tmp_path)
