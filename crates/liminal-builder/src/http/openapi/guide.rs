//! What has to be said once for all routes. Owns the words; they stand in the document and on the page.

/// A part of the guide.
#[derive(Debug, Clone, Copy)]
pub struct Section {
    /// What it is about.
    pub title: &'static str,
    /// What it says; what stands between backticks is code.
    pub paragraphs: &'static [&'static str],
}

/// The guide.
pub const GUIDE: &[Section] = &[
    Section {
        title: "Credentials",
        paragraphs: &[
            "Programs send `Authorization: Bearer <token>`; the token is in `server.json` of the data directory. \
             Browsers send the cookie and the `X-Liminal-Key` that they got for a one-time code.",
            "A request must come under the server's own name, and from no page of another origin. Whatever changes \
             something tells its `Origin`, or has the token.",
        ],
    },
    Section {
        title: "Bodies and errors",
        paragraphs: &[
            "Bodies are JSON, sent with `Content-Type: application/json`. Fields that are not known are ignored, \
             and clients do the same. Every route that answers `GET` answers `HEAD` too.",
            "Errors are `application/problem+json`. Branch on `status` and `code`, never on the text.",
        ],
    },
    Section {
        title: "Repeating requests",
        paragraphs: &[
            "With an `Idempotency-Key` a request can be sent again: the same key and body give the same \
             answer and nothing is done twice, another body is refused with `IDEMPOTENCY_MISMATCH`. The \
             `clientMessageId` of a message is such a key.",
        ],
    },
    Section {
        title: "Reading along",
        paragraphs: &[
            "The log of a session gives each state of an item and each milestone of a turn the next `seq`. Its \
             `epoch` changes when the log is rebuilt. A cursor is `<epoch>.<seq>`. Whoever comes back with the \
             cursor of the last frame applied gets what changed since, each item once, in its latest state. A \
             cursor that is of no use is answered by everything, and that is said.",
            "Render by replacing, order items by the `firstSeq` of their first state, and apply a frame only if \
             its `seq` is greater than the last one of that item.",
        ],
    },
    Section {
        title: "Server-sent events",
        paragraphs: &[
            "The `id` of a frame is its cursor; `Last-Event-ID` wins over `after`. The first frame is `hello` with \
             `{\"resume\":\"ok|reset\",\"epoch\",\"seq\"}`. Then come `session:history` (after a reset), \
             `session:upsert`, `session:turn` and `session:state`, each with a `ServerMessage` as its data. A \
             comment comes every 15 seconds.",
            "The stream of canonical events has frames named `event`, each with a `StreamEventEnvelope`. Its \
             cursor counts events, and its `hello` has no `seq`.",
        ],
    },
    Section {
        title: "WebSocket",
        paragraphs: &[
            "Clients send `ClientFrame`, the server sends `ServerMessage`, as JSON text: one socket for all \
             sessions. Programs send the token as with any request. Browsers cannot add headers to a socket, so \
             they offer the subprotocols `liminal.v1` and `key.<secret>`.",
            "`session:subscribe` is answered by `session:subscribed`, then `session:history` after a reset, then \
             states as they come. With `encoding` `append` a growing text may come as `session:append`: it begins \
             at `base`, counted in UTF-16 units, and what the client holds beyond it is replaced. Frames with a \
             `requestId` are answered by `ok` or `error`.",
            "Close codes: 1013 nothing was read for 30 seconds, 4401 the credential is no longer good, 1008 more \
             than 50 frames a second, 1009 a frame over 1 MiB, 1007 not UTF-8, 1001 the server stops.",
        ],
    },
];

/// The guide as the document's description.
pub(super) fn markdown() -> String {
    let section = |section: &Section| format!("## {}\n\n{}", section.title, section.paragraphs.join("\n\n"));
    GUIDE.iter().map(section).collect::<Vec<_>>().join("\n\n")
}
