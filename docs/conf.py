# The documentation site: `make docs` stages these pages, and what is generated, in build/docs and runs Sphinx there
# (tools/make_docs).
import pathlib

project = "Trammel"
author = "The Trammel developers"
copyright = "The Trammel developers, Apache-2.0"
# make_docs writes the version beside this file.
version = release = (pathlib.Path(__file__).parent / "version.txt").read_text().strip()

extensions = ["myst_parser", "sphinx.ext.autodoc", "breathe", "sphinx_copybutton"]
myst_heading_anchors = 4
source_suffix = {".md": "markdown"}
exclude_patterns = ["performance-notes.md"]  # a part of performance.md
html_theme = "furo"
html_title = "Trammel"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_copy_source = False
html_theme_options = {"sidebar_hide_name": False}
pygments_style = "friendly"

breathe_projects = {"trammel": "doxygen/xml"}
breathe_default_project = "trammel"
autodoc_member_order = "bysource"
autodoc_typehints = "description"

copybutton_prompt_text = r"\$ "
copybutton_prompt_is_regexp = True
copybutton_only_copy_prompt_lines = True
