import logging

logging.basicConfig(level=logging.INFO, format="%(levelname)s:%(filename)s:%(lineno)d:%(message)s")
logging.info("informed")
logging.warning("warned")
try:
    1 / 0
except ZeroDivisionError:
    logging.exception("failed")
