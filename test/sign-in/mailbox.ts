/** A real SMTP server on this machine that stores the emails it receives. */

import { once } from "node:events";
import PostalMime, { type Email } from "postal-mime";
import { SMTPServer, type SMTPServerSession } from "smtp-server";

export interface Received {
  /** Addresses of the recipients in the SMTP envelope. */
  readonly to: readonly string[];
  readonly email: Email;
  /** The whole email as it was received, with its headers. */
  readonly raw: string;
}

export interface Mailbox {
  /** URL of the mailbox, as a value for SMTP_URL. */
  readonly url: string;
  readonly received: readonly Received[];
  /** Returns the oldest email that was not returned before, and waits until there is one. */
  next(): Promise<Received>;
  /** Sets the SMTP code with which further recipients are rejected, for example 550; null accepts them again. */
  reject(responseCode: number | null): void;
  close(): Promise<void>;
}

export async function openMailbox(): Promise<Mailbox> {
  const received: Received[] = [];
  const untaken: Received[] = [];
  const waiting: ((message: Received) => void)[] = [];
  let rejection: number | null = null;
  const take = (message: Received) => {
    received.push(message);
    const taker = waiting.shift();
    if (taker === undefined) untaken.push(message);
    else taker(message);
  };
  const server = new SMTPServer({
    authOptional: true,
    disableReverseLookup: true,
    disabledCommands: ["STARTTLS", "AUTH"],
    logger: false,
    onRcptTo({ address }, _session, done) {
      if (rejection === null) return done();
      done(Object.assign(new Error(`<${address}> is not taken`), { responseCode: rejection }));
    },
    onData(stream, session, done) {
      const chunks: Buffer[] = [];
      stream.on("data", (chunk: Buffer) => chunks.push(chunk));
      stream.on("end", () => {
        const raw = Buffer.concat(chunks).toString("utf8");
        PostalMime.parse(raw).then((email) => {
          take({ to: listRecipients(session), email, raw });
          done();
        }, done);
      });
    },
  });
  server.listen(0, "127.0.0.1");
  await once(server.server, "listening");
  const address = server.server.address();
  if (address === null || typeof address === "string") throw new Error("the mail server of the test has no port");
  return {
    url: `smtp://127.0.0.1:${address.port}`,
    received,
    reject: (responseCode) => {
      rejection = responseCode;
    },
    next: () => {
      const first = untaken.shift();
      return first === undefined ? new Promise((resolve) => waiting.push(resolve)) : Promise.resolve(first);
    },
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

function listRecipients({ envelope }: SMTPServerSession): string[] {
  return envelope.rcptTo.map(({ address }) => address);
}

/** Returns the token of the sign-in link in an email; null if there is none, for example in an email about a decision. */
export function findToken({ email }: Received): string | null {
  const [, token = null] = /#token=([\w-]{43})(?![\w-])/.exec(email.text ?? "") ?? [];
  return token;
}

/** Returns the token of the sign-in link in an email. Throws if there is none. */
export function tokenIn(message: Received): string {
  const token = findToken(message);
  if (token === null) throw new Error(`the email “${message.email.subject}” has no sign-in link`);
  return token;
}
