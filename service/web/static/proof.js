// Verifies a finished log as engine/play/match.py does, but for the rules: format, hash chain, commitment, seals; and every draw of
// chance, as engine/core/chance.py makes it. SHA-256 by WebCrypto, or in plain JavaScript where a page has none.
const Proof = (() => {
  const utf8 = new TextEncoder();
  const bytes = (text) => utf8.encode(text);
  const hex = (found) => [...found].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  const unhex = (text) => Uint8Array.from(text.match(/../g) || [], (pair) => parseInt(pair, 16));
  const joined = (...parts) => {
    const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
    let at = 0;
    for (const part of parts) {
      whole.set(part, at);
      at += part.length;
    }
    return whole;
  };

  // --- SHA-256 (FIPS 180-4) and HMAC (RFC 2104) ---
  const primes = [];
  for (let n = 2; primes.length < 64; n++) if (primes.every((p) => n % p)) primes.push(n);
  const fraction = (x) => ((x - Math.floor(x)) * 2 ** 32) >>> 0;
  const ROUND = primes.map((p) => fraction(Math.cbrt(p)));
  const BEGIN = primes.slice(0, 8).map((p) => fraction(Math.sqrt(p)));
  const right = (x, n) => (x >>> n) | (x << (32 - n));
  const plain = (message) => {
    const blocks = new Uint8Array(Math.ceil((message.length + 9) / 64) * 64);
    blocks.set(message);
    blocks[message.length] = 0x80;
    const words = new DataView(blocks.buffer);
    words.setUint32(blocks.length - 8, Math.floor(message.length / 2 ** 29));
    words.setUint32(blocks.length - 4, (message.length << 3) >>> 0);
    const state = Uint32Array.from(BEGIN);
    const w = new Uint32Array(64);
    for (let block = 0; block < blocks.length; block += 64) {
      for (let i = 0; i < 16; i++) w[i] = words.getUint32(block + 4 * i);
      for (let i = 16; i < 64; i++) {
        const [x, y] = [w[i - 15], w[i - 2]];
        w[i] = w[i - 16] + (right(x, 7) ^ right(x, 18) ^ (x >>> 3)) + w[i - 7] + (right(y, 17) ^ right(y, 19) ^ (y >>> 10));
      }
      let [a, b, c, d, e, f, g, h] = state;
      for (let i = 0; i < 64; i++) {
        const one = (h + (right(e, 6) ^ right(e, 11) ^ right(e, 25)) + ((e & f) ^ (~e & g)) + ROUND[i] + w[i]) | 0;
        const two = ((right(a, 2) ^ right(a, 13) ^ right(a, 22)) + ((a & b) ^ (a & c) ^ (b & c))) | 0;
        [h, g, f, e, d, c, b, a] = [g, f, e, (d + one) | 0, c, b, a, (one + two) | 0];
      }
      [a, b, c, d, e, f, g, h].forEach((word, i) => (state[i] += word));
    }
    const found = new DataView(new ArrayBuffer(32));
    state.forEach((word, i) => found.setUint32(4 * i, word));
    return new Uint8Array(found.buffer);
  };
  const subtle = globalThis.crypto?.subtle;
  const sha256 = subtle ? async (message) => new Uint8Array(await subtle.digest("SHA-256", message)) : async (message) => plain(message);
  const hmac = async (key, text, hash = sha256) => {
    const block = new Uint8Array(64);
    const own = bytes(key);
    block.set(own.length > 64 ? await hash(own) : own);
    const padded = (pad) => block.map((byte) => byte ^ pad);
    return hash(joined(padded(0x5c), await hash(joined(padded(0x36), bytes(text)))));
  };

  // --- chance ---
  const secret = async (seed, entropies) => hex(await sha256(joined(seed, ...entropies.flatMap((one) => [Uint8Array.of(0), bytes(one)]))));
  const stream = (key, label) => {
    let [block, left] = [0, []];
    return async () => {
      if (!left.length) {
        const words = new DataView((await hmac(key, `${label}/${block++}`)).buffer);
        left = Array.from({ length: 8 }, (_, i) => words.getUint32(4 * i));
      }
      return left.shift();
    };
  };
  const below = async (next, n) => {
    const limit = 2 ** 32 - (2 ** 32 % n);
    for (;;) {
      const word = await next();
      if (word < limit) return word % n;
    }
  };
  const swap = (list, i, j) => ([list[i], list[j]] = [list[j], list[i]]);
  // A draw is [entry, kind, purpose, nth of this purpose, of what, limit, result]; see engine/play/proof.py.
  const draw = async (key, [, kind, purpose, nth, of, limit]) => {
    const next = stream(key, `${purpose}/${nth}`);
    if (kind === "below") return below(next, of);
    if (kind === "sample") {
      const pool = Array.from({ length: of }, (_, i) => i);
      const size = Math.min(limit, of);
      for (let i = 0; i < size; i++) swap(pool, i, i + (await below(next, of - i)));
      return pool.slice(0, size).sort((a, b) => a - b);
    }
    const cards = [...of];
    const least = limit === null ? 0 : Math.max(0, cards.length - 1 - limit);
    for (let i = cards.length - 1; i > least; i--) swap(cards, i, await below(next, i + 1));
    return cards;
  };

  // --- the log ---
  const FACE = ["n", "at", "actor", "ask", "serial", "mark", "sealed_move", "sealed_via", "prev"];
  const FIELDS = [...FACE, "hash", "move", "via"];
  const HEADER = ["writ", "match", "game", "rules", "options", "seats", "commitment", "created"];
  const SEAT = ["seat", "name", "entropy", "bot", "given"];
  class Fault extends Error {
    constructor(code, line, facts = {}) {
      super(code);
      Object.assign(this, { code, line, facts });
    }
  }
  const parsed = (line, code, number) => {
    try {
      return JSON.parse(line);
    } catch (problem) {
      throw new Fault(code, number, { problem: problem.message });
    }
  };
  const readHeader = (line, formats) => {
    const header = parsed(line, "no_header", 1);
    const sits = (seat) => SEAT.slice(0, 3).every((name) => typeof seat?.[name] === "string");
    if (!HEADER.every((name) => name in Object(header)) || !Array.isArray(header.seats) || !header.seats.every(sits)) throw new Fault("no_header", 1, { problem: "…" });
    if (!formats.includes(header.writ)) throw new Fault("wrong_format", 1, { format: header.writ, own: formats.join() });
    const strange = [...Object.keys(header).filter((name) => name !== "rulings" && !HEADER.includes(name)), ...header.seats.flatMap(Object.keys).filter((name) => !SEAT.includes(name))].length;
    if (strange || JSON.stringify(header) !== line) throw new Fault("header_changed", 1);
    return header;
  };
  const readEntry = (line, number) => {
    const entry = parsed(line, "no_entry", number);
    const typed = (name) =>
      name === "n" || name === "serial" ? Number.isInteger(entry[name]) : typeof entry[name] === "string" || ((name === "move" || name === "via") && entry[name] === null);
    if (entry === null || typeof entry !== "object" || !FIELDS.every(typed)) throw new Fault("no_entry", number, { problem: "…" });
    if (JSON.stringify(Object.fromEntries(FIELDS.map((name) => [name, entry[name]]))) !== line) throw new Fault("entry_changed", number);
    return entry;
  };
  const entryHash = async (entry) => hex(await sha256(bytes(JSON.stringify(FACE.map((name) => entry[name])))));
  const readReveal = (entries) => {
    const last = entries.at(-1);
    if (last?.ask !== "reveal" || last.move === null) throw new Fault("no_reveal", entries.length + 1, { n: entries.length });
    const early = entries.slice(0, -1).find((entry) => entry.ask === "reveal");
    if (early) throw new Fault("early_reveal", early.n + 1, { n: early.n });
    const found = last.move.match(/^reveal seed=([^ ]*) winners=\[[^ ]*\] how=[^ ]+$/);
    if (!found) throw new Fault("reveal_not_read", last.n + 1, { n: last.n });
    if (!/^([0-9A-Fa-f]{2})*$/.test(found[1])) throw new Fault("seed_not_read", last.n + 1);
    return unhex(found[1]);
  };
  const same = (one, other) => JSON.stringify(one) === JSON.stringify(other);

  // Verifies lines of a log and of draws; gives {holds, entries, draws, head}, or the first fault as {code, line, facts}.
  const verify = async (lines, draws, formats) => {
    try {
      const header = readHeader(lines[0], formats);
      const entries = lines.slice(1).map((line, i) => readEntry(line, i + 2));
      let prev = hex(await sha256(bytes(lines[0])));
      for (const [i, entry] of entries.entries()) {
        if (entry.n !== i + 1) throw new Fault("out_of_order", i + 2, { n: entry.n, due: i + 1 });
        if (entry.prev !== prev) throw new Fault("broken_chain", i + 2, { n: entry.n });
        prev = await entryHash(entry);
        if (entry.hash !== prev) throw new Fault("wrong_hash", i + 2, { n: entry.n });
      }
      const seed = readReveal(entries);
      if (hex(await sha256(seed)) !== header.commitment) throw new Fault("wrong_commitment", lines.length);
      const key = await secret(seed, header.seats.map((seat) => seat.entropy));
      for (const entry of entries) {
        for (const part of ["move", "via"]) {
          const salt = await hmac(key, `seal/${entry.n}/${part}`);
          const right = entry[part] !== null && hex(await sha256(joined(salt, bytes(entry[part])))) === entry[`sealed_${part}`];
          if (!right) throw new Fault(`wrong_seal_of_${part}`, entry.n + 1, { n: entry.n });
        }
      }
      const drawn = new Map();
      let n = 0;
      for (const line of draws) {
        let right = false;
        try {
          const one = JSON.parse(line);
          const nth = (drawn.get(one[2]) || 0) + 1;
          drawn.set(one[2], nth);
          right = one[0] >= n && one[0] <= entries.length && one[3] === nth && JSON.stringify(one) === line && same(await draw(key, one), one[6]);
          if (right) n = one[0];
        } catch {
          right = false;
        }
        if (!right) {
          const at = Number(line.match(/^\[?(\d+)/)?.[1] ?? n);
          throw new Fault("wrong_draw", at + 1, { n: at });
        }
      }
      return { holds: true, entries: entries.length, draws: draws.length, head: prev };
    } catch (fault) {
      if (!(fault instanceof Fault)) throw fault;
      return { holds: false, code: fault.code, line: fault.line, facts: fault.facts };
    }
  };
  return { plain, sha256, hmac, secret, draw, entryHash, verify, hex, bytes, unhex };
})();
