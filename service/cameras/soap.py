"""SOAP messages of cameras: written as text, and parsed safely, since they are untrusted."""

from __future__ import annotations

from xml.etree.ElementTree import Element, ParseError
from xml.sax.saxutils import escape

from defusedxml import DefusedXmlException
from defusedxml.ElementTree import fromstring

from thirdcard.service.ports.errors import ServiceError

NAMES = {
    "s": "http://www.w3.org/2003/05/soap-envelope",
    "a": "http://schemas.xmlsoap.org/ws/2004/08/addressing",
    "d": "http://schemas.xmlsoap.org/ws/2005/04/discovery",
    "dn": "http://www.onvif.org/ver10/network/wsdl",
    "tds": "http://www.onvif.org/ver10/device/wsdl",
    "trt": "http://www.onvif.org/ver10/media/wsdl",
    "tr2": "http://www.onvif.org/ver20/media/wsdl",
    "tt": "http://www.onvif.org/ver10/schema",
    "wsse": "http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-secext-1.0.xsd",
    "wsu": "http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-utility-1.0.xsd",
}
"""The namespaces of WS-Discovery of April 2005, which ONVIF's core specification names, and of ONVIF."""
_DECLARED = " ".join(f'xmlns:{name}="{address}"' for name, address in NAMES.items())


class SoapError(ServiceError):
    """The answer is no SOAP message."""


def envelope(body: str, header: str = "") -> bytes:
    """A SOAP message of a header and a body, each already XML with the prefixes of `NAMES`."""
    text = f"<s:Envelope {_DECLARED}><s:Header>{header}</s:Header><s:Body>{body}</s:Body></s:Envelope>"
    return f'<?xml version="1.0" encoding="UTF-8"?>{text}'.encode()


def escaped(text: str) -> str:
    """The text with XML's special characters escaped."""
    return escape(text)


def read_envelope(data: bytes) -> Element:
    """Parse a message; refuses entities and document types.

    Raises:
        SoapError: It is no SOAP message.
    """
    try:
        root: Element = fromstring(data, forbid_dtd=True)
    except (ParseError, DefusedXmlException, ValueError, LookupError) as error:
        raise SoapError("the answer is no XML") from error
    if root.find("s:Body", NAMES) is None:
        raise SoapError("the answer is no SOAP message")
    return root


def text_at(element: Element, path: str) -> str:
    """The text at a path of `NAMES`, stripped; empty where there is none."""
    return (element.findtext(path, "", NAMES) or "").strip()


def number_at(element: Element, path: str) -> float | None:
    """The number at a path; None where there is none above zero."""
    try:
        number = float(text_at(element, path))
    except ValueError:
        return None
    return number if 0 < number < float("inf") else None
