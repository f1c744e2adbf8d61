#: {"error": "UserWarning"}
import warnings

warnings.simplefilter("error")
warnings.warn("now fatal")
