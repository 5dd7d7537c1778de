# SPDX-License-Identifier: Apache-2.0
"""A pad whose calls take and return dataclasses: `Pad`, and `AsyncPad` for asyncio. Both fail with InkpanelError."""

from __future__ import annotations

import asyncio
import http.client
import io
import urllib.parse
from typing import Any, AsyncIterator, Callable, Iterator, List, Mapping, Optional, Type, TypeVar, Union

from .client import (
    LONGEST_FILE, Answer, Inkpanel, Steps, checked_document, encoded, judged, key_digest, path_of, path_of_document,
    path_of_file, received_of,
)
from .models import (
    Capture, CaptureRequest, Health, RecordPage, Session, SessionRenewal, SessionRequest, Status, Summary,
    TypedName, UploadedDocument)
from .values import Value

Kind = TypeVar("Kind", bound=Value)
OnChange = Optional[Callable[[Capture], Any]]
Parameter = Union[str, float, bool, None]
# Of a text that is signed, its lines are enough.
Request = Union[CaptureRequest, List[str]]
# Seconds in which what may pass is tried again: a gateway that starts anew is there again by then.
RETRY = 15.0


def as_json(request: Request) -> Any:
    return (CaptureRequest(prompt=request) if isinstance(request, list) else request).to_json()


class Calls:
    """What both have: the address, and each call as steps."""

    def __init__(
        self, url: str, token: str, *, ca: Optional[str] = None, key: Optional[str] = None, timeout: float = 90,
        retry: float = RETRY,
    ) -> None:
        """The arguments are those of `Inkpanel`."""
        self.client = Inkpanel(url, token, ca, key, timeout, retry)

    def _capturing(self, request: Request, key: Optional[str], on_change: OnChange) -> Steps:
        return self.client.capturing(as_json(request), key, self._typed(on_change))

    def _following(self, capture: str, on_change: OnChange) -> Steps:
        return self.client.following(capture, self._typed(on_change))

    def _asking(self, request: Request, key: Optional[str]) -> Steps:
        return self.client.asking(as_json(request), key)

    def _typed(self, on_change: OnChange) -> Optional[Callable[[Mapping[str, Any]], Any]]:
        if on_change is None:
            return None
        change = on_change
        return lambda document: change(self._value(Capture, document))

    def _value(self, kind: Type[Kind], document: Any) -> Kind:
        try:
            return kind.from_json(document)
        except ValueError:
            raise self.client.not_a_gateway() from None


class Pad(Calls):
    """A pad, by its gateway."""

    def capture(
        self, request: Request, *, key: Optional[str] = None, on_change: OnChange = None,
    ) -> Capture:
        """Asks for a signature and waits for its end. A list has the lines of the text that is signed.

        With the same `key`, such as the number of an order, the same request again gets the same capture.
        `on_change` is called at each change. The capture is cancelled if anything ends the waiting: Ctrl-C, or an
        exception of `on_change`.
        """
        return self._value(Capture, self.client.carried_out(self._capturing(request, key, on_change)))

    def ask(self, request: Request, *, key: Optional[str] = None) -> Capture:
        """Asks for a signature and does not wait; `follow` does."""
        return self._value(Capture, self.client.carried_out(self._asking(request, key)))

    def follow(self, capture: str, on_change: OnChange = None) -> Capture:
        """Waits for the end of a capture; goes on when a connection is lost or the gateway starts anew."""
        return self._value(Capture, self.client.carried_out(self._following(capture, on_change)))

    def get(self, capture: str) -> Capture:
        """A capture as it is now."""
        return self._value(Capture, self.client.call("GET", path_of(capture)))

    def cancel(self, capture: str) -> Capture:
        """Cancels a capture; nothing is kept."""
        return self._value(Capture, self.client.cancel(capture))

    def clear(self, capture: str) -> Capture:
        """Removes the ink."""
        return self._value(Capture, self.client.clear(capture))

    def accept(self, capture: str) -> Capture:
        """Accepts the ink, like the pad's button."""
        return self._value(Capture, self.client.accept(capture))

    def type_name(self, capture: str, name: TypedName) -> Capture:
        """Shows a name in place of a signature, if `alternatives` of the policy has "typed"."""
        return self._value(Capture, self.client.type_name(capture, name.name, name.by, name.reason))

    def upload(self, document: bytes) -> UploadedDocument:
        """Uploads a PDF file that people read and sign on the pad. It stays for an hour after its last use."""
        return self._value(UploadedDocument, self.client.upload(document))

    def forget(self, document: str) -> None:
        """Deletes an uploaded document; captures that were asked for with it go on."""
        self.client.forget(document)

    def file(self, capture: str, name: str, **parameters: Parameter) -> bytes:
        """A file of an accepted capture, such as signature.png or signed.pdf. `parameters` of pictures: dpi, width..."""
        return self.client.file(capture, name, **parameters)

    def records(self) -> Iterator[Summary]:
        """The records of this token's captures, newest first."""
        return (self._value(Summary, record) for record in self.client.list())

    def status(self) -> Status:
        return self._value(Status, self.client.status())

    def health(self) -> Health:
        return self._value(Health, self.client.call("GET", "/v1/health"))

    def session(self, request: SessionRequest) -> Session:
        """A short token for one web page."""
        return self._value(Session, self.client.call("POST", "/v1/sessions", request.to_json()))

    def renew(self, request: SessionRenewal) -> Session:
        """Lets a session live on, for a page that stays open."""
        return self._value(Session, self.client.call("POST", "/v1/sessions/renew", request.to_json()))


class AsyncPad(Calls):
    """A pad, by its gateway, for asyncio: the calls of `Pad`; `on_change` may be a coroutine, too.

    A capture whose task is cancelled is cancelled, too.
    """

    async def capture(
        self, request: Request, *, key: Optional[str] = None, on_change: OnChange = None,
    ) -> Capture:
        return self._value(Capture, await self._carried_out(self._capturing(request, key, on_change)))

    async def ask(self, request: Request, *, key: Optional[str] = None) -> Capture:
        return self._value(Capture, await self._carried_out(self._asking(request, key)))

    async def follow(self, capture: str, on_change: OnChange = None) -> Capture:
        return self._value(Capture, await self._carried_out(self._following(capture, on_change)))

    async def get(self, capture: str) -> Capture:
        return await self._call(Capture, "GET", path_of(capture))

    async def cancel(self, capture: str) -> Capture:
        return await self._call(Capture, "POST", path_of(capture) + "/cancel")

    async def clear(self, capture: str) -> Capture:
        return await self._call(Capture, "POST", path_of(capture) + "/clear")

    async def accept(self, capture: str) -> Capture:
        return await self._call(Capture, "POST", path_of(capture) + "/accept")

    async def type_name(self, capture: str, name: TypedName) -> Capture:
        return await self._call(Capture, "POST", path_of(capture) + "/typed-name", name.to_json())

    async def upload(self, document: bytes) -> UploadedDocument:
        return await self._call(UploadedDocument, "POST", "/v1/documents", checked_document(document))

    async def forget(self, document: str) -> None:
        await self._answer("DELETE", path_of_document(document))

    async def file(self, capture: str, name: str, **parameters: Parameter) -> bytes:
        return (await self._answer("GET", path_of_file(capture, name, parameters)))[2]

    async def records(self) -> AsyncIterator[Summary]:
        after: Optional[str] = None
        while True:
            query = urllib.parse.urlencode({"limit": 200, **({"after": after} if after else {})})
            page = await self._call(RecordPage, "GET", "/v1/captures?" + query)
            for record in page.captures:
                yield record
            after = page.next
            if not after:
                return

    async def status(self) -> Status:
        return await self._call(Status, "GET", "/v1/panel")

    async def health(self) -> Health:
        return await self._call(Health, "GET", "/v1/health")

    async def session(self, request: SessionRequest) -> Session:
        return await self._call(Session, "POST", "/v1/sessions", request.to_json())

    async def renew(self, request: SessionRenewal) -> Session:
        return await self._call(Session, "POST", "/v1/sessions/renew", request.to_json())

    async def _call(self, kind: Type[Kind], method: str, path: str, body: Any = None) -> Kind:
        return self._value(kind, self.client.decoded((await self._answer(method, path, body))[2]))

    async def _answer(self, method: str, path: str, body: Any = None) -> Answer:
        return await self._carried_out(self.client.trying(method, path, body))  # type: ignore[no-any-return]

    async def _carried_out(self, steps: Steps, interrupted: Optional[BaseException] = None) -> Any:
        """As `Inkpanel.carried_out`. `interrupted`: goes on with steps that this has interrupted."""
        try:
            step = next(steps) if interrupted is None else steps.throw(interrupted)
            while True:
                answer = None
                try:
                    if isinstance(step, tuple):
                        answer = await self._request(*step)
                    elif isinstance(step, (int, float)):
                        await asyncio.sleep(step)
                    else:
                        await step
                except asyncio.CancelledError as error:
                    if interrupted is None:
                        # In a task of its own: who cancels twice does not keep the pad from hearing of it.
                        return await asyncio.shield(asyncio.ensure_future(self._carried_out(steps, error)))
                    step = steps.throw(error)
                except BaseException as error:
                    step = steps.throw(error)
                else:
                    step = steps.send(answer)
        except StopIteration as end:
            return end.value

    async def _request(
        self, method: str, path: str, body: Union[Mapping[str, Any], bytes, None] = None, headers: Mapping[str, str] = {},
        timeout: Optional[float] = None,
    ) -> Answer:
        """As `Inkpanel.request`."""
        client, (content, described) = self.client, encoded(body)
        sent = {
            "Host": client.url.netloc, "Connection": "close", "Accept-Encoding": "identity",
            "Content-Length": str(len(content or b"")), **client.authorized(headers), **described}
        head = f"{method} {client.url.path.rstrip('/')}{path} HTTP/1.1\r\n"
        head += "".join(f"{name}: {value}\r\n" for name, value in sent.items())
        with client.explained(timeout):
            exchange = asyncio.ensure_future(self._exchange((head + "\r\n").encode() + (content or b"")))
            try:
                # Not wait_for, which forgets before Python 3.12 that it was cancelled if the answer comes just then.
                await asyncio.wait([exchange], timeout=timeout or client.timeout)
                if not exchange.done():
                    raise TimeoutError
                received = exchange.result()
            finally:
                exchange.cancel()
            answer = http.client.HTTPResponse(Received(received), method=method)  # type: ignore[arg-type]
            answer.begin()
            document = received_of(answer, None)
        return judged(answer, document, client.url.netloc)

    async def _exchange(self, request: bytes) -> bytes:
        """What the server sends until it closes the connection."""
        url, client = self.client.url, self.client
        is_plain = url.scheme == "http"
        reader, writer = await asyncio.open_connection(
            url.hostname, url.port or (80 if is_plain else 8443), ssl=None if is_plain else client.context)
        try:
            if client.key:
                client.check_key(key_digest(writer.get_extra_info("ssl_object")))
            received: List[bytes] = []

            async def receive() -> None:
                count = 0
                while part := await reader.read(65536):
                    received.append(part)
                    count += len(part)
                    if count > LONGEST_FILE:
                        raise http.client.HTTPException(f"the answer has more than {LONGEST_FILE >> 20} MiB")

            receiving = asyncio.ensure_future(receive())
            try:
                writer.write(request)
                try:
                    await writer.drain()
                except (BrokenPipeError, ConnectionResetError):
                    # Who refuses a long body says why before it has read it.
                    await asyncio.wait([receiving])
                    if receiving.exception() and not received:
                        raise
                else:
                    await receiving
            finally:
                receiving.cancel()
            return b"".join(received)
        finally:
            writer.transport.abort()


class Received:
    """What http.client reads an answer from."""

    def __init__(self, content: bytes) -> None:
        self.content = content

    def makefile(self, *_: Any) -> io.BytesIO:
        return io.BytesIO(self.content)
