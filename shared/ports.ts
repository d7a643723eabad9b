/** Every port of the product on one page: what the use cases ask of the outside world, in the product's own words. */

export type Clock = { now(): number };

/** Calls again and again, that many milliseconds apart, until the answer is called. */
export type Every = (ms: number, run: () => void) => () => void;

export type Ids = {
  /** A UUIDv7: sorts by time of making. */
  uuid(): string;
  /** Short, never made twice; cheap, because every write takes one. Not a secret. */
  mark(): string;
  /** Unguessable text of that many random bytes. */
  secret(bytes: number): string;
};

// ── table ───────────────────────────────────────────────────────────────────────────────────────────────────────────

export type Key = { pk: string; sk: string };

/** A place in the index `list`: what a page of tasks shows without reading the tasks. */
export type Listed = {
  list: string;
  at: number;
  id: string;
  state: string;
  type: string;
  priority: number;
  endedAt?: number;
};

export type Row<T> = Key & { version: string; value: T; listed?: Listed; dueAt?: number; expiresAt?: number };
export type Draft<T> = Omit<Row<T>, 'version'>;
export type Page<T> = { rows: T[]; next?: string };
export type Paging = { after?: string; limit: number; newestFirst?: boolean };
export type Counts = Record<string, number>;
export type Spend = { by: Counts; atMost: Counts; expiresAt: number };

/** Rows that are inserted before the row that refers to them, in any order: a reader of that row finds them. */
export type Prerequisites = readonly Draft<unknown>[];

/** A `relaxed` write is not fsynced: it survives a crash of the process and may be lost on power failure. */
export type Durability = 'full' | 'relaxed';
export type Replacing = { prerequisites?: Prerequisites | undefined; durability?: Durability };

/** An `eventual` read costs half as much and may miss the newest writes. */
export type Getting = { consistency?: 'strong' | 'eventual' };

/** Versioned rows. Every write is one conditional write on one row; an expired row is absent. */
export type Table = {
  get<T>(key: Key, o?: Getting): Promise<Row<T> | undefined>;
  /** Up to 100, in the order asked. */
  getMany<T>(keys: Key[]): Promise<(Row<T> | undefined)[]>;
  /** Succeeds over absent or expired; undefined = somebody holds the key. */
  insert<T>(draft: Draft<T>, prerequisites?: Prerequisites): Promise<Row<T> | undefined>;
  /** Succeeds over the very version that was read; undefined = lost the race. */
  replace<T>(
    held: Key & { version: string },
    next: Omit<Draft<T>, keyof Key>,
    o?: Replacing,
  ): Promise<Row<T> | undefined>;
  /** True when the held version is gone by this call. */
  remove(held: Key & { version: string }): Promise<boolean>;
  /** The rows of one partition whose sk begins with the prefix, in the byte order of sk. */
  rows<T>(pk: string, prefix: string, paging: Paging): Promise<Page<Row<T>>>;
  /** Index: may lag. */
  listed(list: string, paging: Paging): Promise<Page<Listed>>;
  /** Index: may lag. Keys of one of the DUE_SHARDS whose dueAt is at or before that instant, the oldest first. */
  due(shard: number, before: number, limit: number): Promise<Key[]>;
  /** A bounded counter row: adds `by` when every name of `atMost` stays within it, else changes nothing. May fade. */
  spend(key: Key, spend: Spend): Promise<{ spent: boolean; now: Counts }>;
};

// ── blobs ───────────────────────────────────────────────────────────────────────────────────────────────────────────

export type Bytes = AsyncIterable<Uint8Array>;
export type ByteRange = { from: number; to?: number };
export type Attachment = { fileName: string; contentType: string };

/** Of an upload: what came last, by a name that never comes to mean other bytes. Of nothing there is no such name. */
export type Arrived = { at: string; size: number; head: Uint8Array };

/**
 * Bytes by key, or by what `arrived` called them. A signed URL needs no other credential. In the folder
 * `arrivals/` each put adds a version; elsewhere it takes the place of what was there.
 */
export type Blobs = {
  /** Stores the stream in bounded memory and answers its length; a stream that fails or passes maxBytes leaves nothing. */
  put(key: string, body: Bytes, limit: { maxBytes: number }): Promise<number>;
  /** `to` is inclusive; undefined = no such blob. */
  read(at: string, range?: ByteRange): Promise<Bytes | undefined>;
  size(at: string): Promise<number | undefined>;
  /** One version by its name, and by the key of an upload every version. */
  remove(at: string): Promise<void>;
  /** An address that takes PUT bodies of any content type. */
  uploadAddress(key: string, seconds: number): Promise<string>;
  /** The newest version of an upload, with so many of its first bytes. */
  arrived(key: string, headBytes: number): Promise<Arrived | undefined>;
  /** The versions of the uploads whose keys begin so, by name, ordered by key, up to 1,000. `next` is the last key, to go on behind. */
  uploads(prefix: string, paging: { after?: string; limit: number }): Promise<Page<string>>;
  /** From now on that version stays, whatever comes. False: something newer has come already, and it may be gone. */
  keep(at: string): Promise<boolean>;
  /** An address that answers GET with the bytes as an attachment under that name. */
  downloadAddress(at: string, as: Attachment, seconds: number): Promise<string>;
};

/** Of a bucket that is only shown. */
export type Downloads = Pick<Blobs, 'downloadAddress'>;

// ── the way out ─────────────────────────────────────────────────────────────────────────────────────────────────────

export type Fetched = {
  /** Where the redirects ended. */
  url: string;
  /** 2xx, unless other statuses were asked for. */
  status: number;
  /** Names in lower case. */
  headers: Readonly<Record<string, string | undefined>>;
  /** Breaks off when the other side does, or passes a limit of size or time. */
  body: Bytes;
  /** Ends the connection; what was not read is lost. */
  cancel(): void;
};

/** Fetches what a stranger names, if it is a public address: refused by our rules, or failed on the way. */
export type Outbound = (
  address: string,
  ask: {
    maxBytes: number;
    maxRedirects: number;
    seconds: number;
    /** Answers of every status are returned, redirects beyond `maxRedirects` included. */
    anyStatus?: boolean;
    /** Of ours, and nothing secret. */
    headers?: Record<string, string>;
    /** Where we ourselves answer: never fetched from. */
    ownHosts: string[];
    /** Ends the request, and the reading of its body, with its reason. */
    signal: AbortSignal | undefined;
  },
) => Promise<Fetched | 'refused' | 'failed'>;

/** Why a receiver of webhooks gave no answer. */
export type PostFault =
  | 'blocked_target' // refused by our own rules: not, or no longer, a public address
  | 'unresolved'
  | 'unreachable'
  | 'tls'
  | 'timeout'
  | 'broken'; // cut off, or not HTTP

/** `retryAfter` is the header as it came, `answer` the beginning of the body. */
export type Posted = { status: number; retryAfter: string | undefined; answer: string } | { fault: PostFault };

/** Posts a webhook. Rejects with the signal's reason, and otherwise only if we are broken. */
export type Post = (
  address: string,
  message: { headers: Record<string, string>; body: string },
  signal?: AbortSignal,
) => Promise<Posted>;

/** Fetches the keys that an issuer publishes; undefined when the URL did not answer with JSON. */
export type FetchKeys = (url: string, options: { allowsPrivate: boolean }) => Promise<unknown>;

// ── everything ──────────────────────────────────────────────────────────────────────────────────────────────────────

export type Stored = Key & { value: unknown };

/** What is stored, past the table's own rules: for the operator who erases. */
export type Everything = {
  /** Every row, expired ones included, whose key or value holds this text. */
  rowsAbout(text: string): AsyncIterable<Stored>;
  /** Up to 100. Rows that are not there are left alone. */
  removeRows(keys: Key[]): Promise<void>;
  /** The blobs that are there: in these folders, where folders can be listed, and of these names. */
  blobsIn(folders: string[], named: string[]): Promise<string[]>;
  /** The keys of its uploads, of whichever hour, where they can be listed. */
  uploadsOf(organization: string): Promise<string[]>;
  /** Mails that were sent, by the ids they were accepted under, where they are kept at all. */
  removeMails(ids: string[]): Promise<void>;
  /** What was removed is then not to be found in the store's own files either. */
  forget(): Promise<void>;
};

// ── queue ───────────────────────────────────────────────────────────────────────────────────────────────────────────

export type Outgoing = { body: string; group?: string; delaySeconds?: number };
export type Received = { body: string; receipt: string; receives: number; sentAt: number };

/** Delivers at least once, in no promised order, fair between groups. What was received too often goes to the dead letters. */
export type Queue = {
  /** Up to 10 at once; throws when any was not taken. */
  send(messages: Outgoing[]): Promise<void>;
  /** Waits up to that long for the first message; what is received stays hidden for the queue's visibility time. */
  receive(max: number, waitSeconds: number): Promise<Received[]>;
  done(receipts: string[]): Promise<void>;
  /** Shows the message again after that many seconds. */
  release(receipt: string, seconds: number): Promise<void>;
};

// ── schedules ───────────────────────────────────────────────────────────────────────────────────────────────────────

export type ScheduledTask = { organization: string; taskId: string };
/** Once at an instant, or by a schedule as it is written for short. */
export type Timing = { at: number } | { by: string };

/**
 * Hints at tasks at times of their own: within the minute of each, now and then twice, and rarely not at all. So it makes
 * a run punctual, and is never what a run depends on.
 */
export type Scheduler = {
  /** In place of what the task had. The hint goes into the lane of that priority. */
  put(task: ScheduledTask, o: { priority: number; timing: Timing }): Promise<void>;
  /** One that is not there is left alone. */
  remove(task: ScheduledTask): Promise<void>;
  list(paging: { after?: string; limit: number }): Promise<Page<ScheduledTask>>;
};

// ── sockets ─────────────────────────────────────────────────────────────────────────────────────────────────────────

/** The open WebSocket connections, by the ids that their gateway gave. The table knows whose they are. */
export type Sockets = {
  /** Resolves when the message is on its way, in the order of the calls; `gone` = the connection is closed. */
  post(connection: string, message: string): Promise<'sent' | 'gone'>;
  isThere(connection: string): Promise<boolean>;
  /** Behind what was posted before. One that is gone is left alone. `fault`: of the peer, reported where the platform can. */
  close(connection: string, fault?: string): Promise<void>;
};

// ── mail ────────────────────────────────────────────────────────────────────────────────────────────────────────────

/** One mail, whole, to one address. Its tags come back with what is heard of it later. */
export type Mail = { raw: Uint8Array; from: string; to: string; tags: Readonly<Record<string, string>> };

/** `badAddress`: of the recipient. `badSender`: not, or not yet, allowed to send. */
export type MailRefusal = 'tooLarge' | 'badAddress' | 'badSender' | 'rejected';

/** `accepted` is the provider's own id; `again`: it takes no more just now. */
export type Mailed = { accepted: string } | { refused: MailRefusal } | 'again';

/** Takes mails to be sent. That one was accepted does not say that it arrives. */
export type Mailer = { send(mail: Mail): Promise<Mailed> };

// ── secrets ─────────────────────────────────────────────────────────────────────────────────────────────────────────

export type MasterSecret = { version: string; key: Uint8Array };

export type Secrets = {
  /**
   * The master secret, newest first; the one before stays readable until its tokens have died. For a wanted version that
   * is not known it looks again at once, in case that somebody else has seen a rotation first.
   */
  master(wanted?: string): Promise<[MasterSecret, ...MasterSecret[]]>;
};

// ── passwords ───────────────────────────────────────────────────────────────────────────────────────────────────────

export type Passwords = {
  /** Text that holds the salt and the cost beside the hash, so that either may change for later passwords. */
  hash(password: string): Promise<string>;
  /** Without a hash it does the same work and answers false. */
  verify(password: string, hash: string | undefined): Promise<boolean>;
};
