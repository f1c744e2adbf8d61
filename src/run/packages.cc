#include "run/packages.h"

#include <algorithm>
#include <array>

namespace belljar::run {
namespace {

struct Known {
  std::string_view module, package, debian;
};

// Packages whose name differs from their module's, and the most requested ones.
constexpr std::array kPythonPackages = {
    Known{"Crypto", "pycryptodome", "python3-pycryptodome"},
    Known{"Levenshtein", "python-Levenshtein", "python3-levenshtein"},
    Known{"MySQLdb", "mysqlclient", "python3-mysqldb"},
    Known{"OpenSSL", "pyOpenSSL", "python3-openssl"},
    Known{"PIL", "pillow", "python3-pil"},
    Known{"PyPDF2", "PyPDF2", "python3-pypdf2"},
    Known{"attr", "attrs", "python3-attr"},
    Known{"bs4", "beautifulsoup4", "python3-bs4"},
    Known{"cairo", "pycairo", "python3-cairo"},
    Known{"cv2", "opencv-python", "python3-opencv"},
    Known{"dateutil", "python-dateutil", "python3-dateutil"},
    Known{"docx", "python-docx", "python3-docx"},
    Known{"dotenv", "python-dotenv", "python3-dotenv"},
    Known{"fitz", "PyMuPDF", "python3-fitz"},
    Known{"flask", "Flask", "python3-flask"},
    Known{"git", "GitPython", "python3-git"},
    Known{"igraph", "python-igraph", "python3-igraph"},
    Known{"jose", "python-jose", "python3-jose"},
    Known{"jwt", "PyJWT", "python3-jwt"},
    Known{"lxml", "lxml", "python3-lxml"},
    Known{"magic", "python-magic", "python3-magic"},
    Known{"markdown", "Markdown", "python3-markdown"},
    Known{"matplotlib", "matplotlib", "python3-matplotlib"},
    Known{"mpl_toolkits", "matplotlib", "python3-matplotlib"},
    Known{"networkx", "networkx", "python3-networkx"},
    Known{"nltk", "nltk", "python3-nltk"},
    Known{"numpy", "numpy", "python3-numpy"},
    Known{"openpyxl", "openpyxl", "python3-openpyxl"},
    Known{"pandas", "pandas", "python3-pandas"},
    Known{"pkg_resources", "setuptools", "python3-pkg-resources"},
    Known{"pptx", "python-pptx", "python3-pptx"},
    Known{"psycopg2", "psycopg2-binary", "python3-psycopg2"},
    Known{"pytz", "pytz", "python3-tz"},
    Known{"regex", "regex", "python3-regex"},
    Known{"requests", "requests", "python3-requests"},
    Known{"scipy", "scipy", "python3-scipy"},
    Known{"seaborn", "seaborn", "python3-seaborn"},
    Known{"serial", "pyserial", "python3-serial"},
    Known{"skimage", "scikit-image", "python3-skimage"},
    Known{"sklearn", "scikit-learn", "python3-sklearn"},
    Known{"slugify", "python-slugify", "python3-slugify"},
    Known{"sqlalchemy", "SQLAlchemy", "python3-sqlalchemy"},
    Known{"statsmodels", "statsmodels", "python3-statsmodels"},
    Known{"sympy", "sympy", "python3-sympy"},
    Known{"telegram", "python-telegram-bot", "python3-python-telegram-bot"},
    Known{"tqdm", "tqdm", "python3-tqdm"},
    Known{"usb", "pyusb", "python3-usb"},
    Known{"websocket", "websocket-client", "python3-websocket"},
    Known{"yaml", "PyYAML", "python3-yaml"},
    Known{"zmq", "pyzmq", "python3-zmq"},
};

// Standard library modules that some versions or installations lack.
constexpr std::array<std::string_view, 37> kPythonStandard = {
    "aifc",      "asynchat",    "asyncore", "audioop",   "cgi",       "cgitb",      "chunk",
    "crypt",     "curses",      "dbm",      "distutils", "ensurepip", "idlelib",    "imghdr",
    "imp",       "lib2to3",     "mailcap",  "msilib",    "msvcrt",    "nis",        "nntplib",
    "nt",        "ossaudiodev", "pipes",    "smtpd",     "sndhdr",    "spwd",       "sunau",
    "telnetlib", "test",        "tkinter",  "tomllib",   "turtle",    "turtledemo", "winreg",
    "winsound",  "xdrlib"};

}  // namespace

Package PackageOf(judgement::analysis::Language language, std::string_view module) {
  if (language != judgement::analysis::Language::kPython) return {std::string(module)};
  for (const Known& known : kPythonPackages) {
    if (known.module == module) return {std::string(known.package), std::string(known.debian)};
  }
  const bool standard = std::ranges::find(kPythonStandard, module) != kPythonStandard.end();
  return {std::string(module), "", standard};
}

}  // namespace belljar::run
