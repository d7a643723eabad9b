/** Every port of the product in one file: what the use cases need from outside, in the product's own terms. */

export type Clock = { now(): number };

/** Calls `run` at this interval, in milliseconds, until the returned function is called. */
export type Every = (ms: number, run: () => void) => () => void;

export type Ids = {
  /** A UUIDv7: sorts by creation time. */
  uuid(): string;
  /** A short unique text, not secret. It is cheap, because every write takes one. */
  mark(): string;
  /** An unguessable text of that many random bytes. */
  secret(bytes: number): string;
};

// The table

export type Key = { pk: string; sk: string };

/**
 * A position in the index `list`: what a page shows without reading the rows. `type` is what such a list is narrowed
 * by, or adds up: the type of an agent task, the hashed namespace of a chat task, the size of a file.
 */
export type ListEntry = {
  list: string;
  at: number;
  id: string;
  state: string;
  type: string;
  priority: number;
  endedAt?: number;
};

export type Row<T> = Key & { version: string; value: T; listed?: ListEntry; dueAt?: number; expiresAt?: number };
export type Draft<T> = Omit<Row<T>, 'version'>;
export type Page<T> = { rows: T[]; next?: string };
export type Paging = { after?: string; limit: number; newestFirst?: boolean };
export type Counts = Record<string, number>;
export type Spend = { by: Counts; atMost: Counts; expiresAt: number };

/** Rows that are inserted, in any order, before the row that refers to them, so that readers of that row find them. */
export type Prerequisites = readonly Draft<unknown>[];

/** A `relaxed` write is not fsynced: it survives a crash of the process and may be lost on power failure. */
export type Durability = 'full' | 'relaxed';
export type ReplaceOptions = { prerequisites?: Prerequisites | undefined; durability?: Durability };

/** An `eventual` read costs half as much and may miss the newest writes. */
export type GetOptions = { consistency?: 'strong' | 'eventual' };

/** Versioned rows. Every write is one conditional write on one row; an expired row is absent. */
export type Table = {
  get<T>(key: Key, o?: GetOptions): Promise<Row<T> | undefined>;
  /** Up to 100 rows, in the order of the keys. */
  getMany<T>(keys: Key[]): Promise<(Row<T> | undefined)[]>;
  /** Succeeds if the row is absent or expired. `undefined`: the key is taken. */
  insert<T>(draft: Draft<T>, prerequisites?: Prerequisites): Promise<Row<T> | undefined>;
  /** Succeeds only if the row still has the version that was read. `undefined`: another writer was first. */
  replace<T>(
    row: Key & { version: string },
    next: Omit<Draft<T>, keyof Key>,
    o?: ReplaceOptions,
  ): Promise<Row<T> | undefined>;
  /** True if this call removed the version that was read. */
  remove(row: Key & { version: string }): Promise<boolean>;
  /** The rows of one partition whose sk begins with the prefix, in the byte order of sk. */
  rows<T>(pk: string, prefix: string, paging: Paging): Promise<Page<Row<T>>>;
  /** Reads the index, which may lag. */
  listed(list: string, paging: Paging): Promise<Page<ListEntry>>;
  /** Reads the index, which may lag: the keys of one of the DUE_SHARDS with `dueAt` up to that instant, oldest first. */
  due(shard: number, before: number, limit: number): Promise<Key[]>;
  /** A bounded counter row: adds `by` if every counter stays within `atMost`, else changes nothing. It may expire. */
  spend(key: Key, spend: Spend): Promise<{ spent: boolean; now: Counts }>;
};

// Blobs

export type Bytes = AsyncIterable<Uint8Array>;
export type ByteRange = { from: number; to?: number };
export type Attachment = { fileName: string; contentType: string };

/** The newest version of an upload, under a name that never refers to other bytes. */
export type ArrivedUpload = { at: string; size: number; head: Uint8Array };

/**
 * Bytes by key, or by the name that `arrived` returned. A signed URL needs no other credential. In the folder
 * `arrivals/` each PUT adds a version; elsewhere it overwrites.
 */
export type Blobs = {
  /** Stores the stream in bounded memory and returns its length. A stream that fails or exceeds `maxBytes` leaves nothing. */
  put(key: string, body: Bytes, limit: { maxBytes: number }): Promise<number>;
  /** `to` is inclusive. `undefined`: the blob does not exist. */
  read(at: string, range?: ByteRange): Promise<Bytes | undefined>;
  size(at: string): Promise<number | undefined>;
  /** Removes one version by its name, or every version by the key of an upload. */
  remove(at: string): Promise<void>;
  /** A signed URL that accepts PUT bodies of any content type. */
  uploadAddress(key: string, seconds: number): Promise<string>;
  /** The newest version of an upload, with its first `headBytes` bytes. */
  arrived(key: string, headBytes: number): Promise<ArrivedUpload | undefined>;
  /** Version names of the uploads whose keys start with `prefix`, ordered by key, at most 1,000. `next`: the last key. */
  uploads(prefix: string, paging: { after?: string; limit: number }): Promise<Page<string>>;
  /** Keeps this version when newer ones arrive. False: a newer one has arrived already, and this one may be gone. */
  keep(at: string): Promise<boolean>;
  /** A signed URL that returns the bytes as an attachment with that name. */
  downloadAddress(at: string, as: Attachment, seconds: number): Promise<string>;
};

/** For buckets that are only read by callers. */
export type Downloads = Pick<Blobs, 'downloadAddress'>;

// Outbound requests

export type FetchedResponse = {
  /** The URL after redirects. */
  url: string;
  /** 2xx, unless `anyStatus` was set. */
  status: number;
  /** Names are in lower case. */
  headers: Readonly<Record<string, string | undefined>>;
  /** Fails if the remote server breaks off or a limit of size or time is exceeded. */
  body: Bytes;
  /** Closes the connection; unread bytes are lost. */
  cancel(): void;
};

/** Fetches a URL from a stranger if its address is public. `refused`: by our rules. `failed`: on the way. */
export type Outbound = (
  address: string,
  ask: {
    maxBytes: number;
    maxRedirects: number;
    seconds: number;
    /** Responses of every status are returned, including redirects beyond `maxRedirects`. */
    anyStatus?: boolean;
    /** Our own headers, none of them secret. */
    headers?: Record<string, string>;
    /** The hosts of our own APIs, which are never fetched. */
    ownHosts: string[];
    /** Aborts the request, and the reading of its body, with its reason. */
    signal: AbortSignal | undefined;
  },
) => Promise<FetchedResponse | 'refused' | 'failed'>;

/** Why a webhook receiver gave no response. */
export type PostFault =
  | 'blocked_target' // refused by our own rules: not, or no longer, a public address
  | 'unresolved'
  | 'unreachable'
  | 'tls'
  | 'timeout'
  | 'broken'; // connection closed early, or not HTTP

/** `retryAfter` is the unparsed header, `answer` the start of the body. */
export type PostResult = { status: number; retryAfter: string | undefined; answer: string } | { fault: PostFault };

/** Posts a webhook. Rejects with the signal's reason, otherwise only for an error of our own. */
export type Post = (
  address: string,
  message: { headers: Record<string, string>; body: string },
  signal?: AbortSignal,
) => Promise<PostResult>;

/** Fetches an issuer's keys. `undefined`: the URL did not return JSON. */
export type FetchKeys = (url: string, options: { allowsPrivate: boolean }) => Promise<unknown>;

// Everything that is stored

export type RawRow = Key & { value: unknown };

/** Access to all stored data, without the table's own rules, for the erasure of an organization. */
export type Everything = {
  /** Every row, including expired ones, whose key or value contains this text. */
  rowsAbout(text: string): AsyncIterable<RawRow>;
  /** Up to 100 keys. Missing rows are ignored. */
  removeRows(keys: Key[]): Promise<void>;
  /** The existing blobs in these folders, where folders can be listed, and among these names. */
  blobsIn(folders: string[], keys: string[]): Promise<string[]>;
  /** The keys of the organization's uploads from any hour, where they can be listed. */
  uploadsOf(organization: string): Promise<string[]>;
  /** Removes sent mails by the provider's ids, where mails are stored at all. */
  removeMails(ids: string[]): Promise<void>;
  /** Also removes deleted data from the store's own files. */
  forget(): Promise<void>;
};

// Queues

export type OutgoingMessage = { body: string; group?: string; delaySeconds?: number };
export type ReceivedMessage = { body: string; receipt: string; receives: number; sentAt: number };

/** Delivers at least once, in no promised order, fair between groups. Messages received too often go to the dead-letter queue. */
export type Queue = {
  /** Up to 10 at once; throws if one was not accepted. */
  send(messages: OutgoingMessage[]): Promise<void>;
  /** Waits up to `waitSeconds` for the first message. Received messages stay hidden for the queue's visibility timeout. */
  receive(max: number, waitSeconds: number): Promise<ReceivedMessage[]>;
  done(receipts: string[]): Promise<void>;
  /** Makes the message visible again after that many seconds. */
  release(receipt: string, seconds: number): Promise<void>;
};

// Schedules

export type ScheduledTask = { organization: string; taskId: string };
/** Once at an instant, or recurring by a `ScheduleText`. */
export type Timing = { at: number } | { by: string };

/**
 * Sends hints for tasks at given times: within a minute, sometimes twice, rarely not at all. It makes runs punctual, but no
 * run depends on it.
 */
export type Scheduler = {
  /** Replaces the task's schedule. The hint goes to the lane of that priority. */
  put(task: ScheduledTask, o: { priority: number; timing: Timing }): Promise<void>;
  /** A missing schedule is ignored. */
  remove(task: ScheduledTask): Promise<void>;
  list(paging: { after?: string; limit: number }): Promise<Page<ScheduledTask>>;
};

// Sockets

/** The open WebSocket connections, by the gateway's ids. The table records their owners. */
export type Sockets = {
  /** Resolves when the message is on its way, in the order of the calls. `gone`: the connection is closed. */
  post(connection: string, message: string): Promise<'sent' | 'gone'>;
  isThere(connection: string): Promise<boolean>;
  /** Closes after the messages posted before. A closed connection is ignored. `fault`: the reason, where the platform can send it. */
  close(connection: string, fault?: string): Promise<void>;
};

// Mail

/** A complete mail to one address. Its tags come back with later events. */
export type Mail = { raw: Uint8Array; from: string; to: string; tags: Readonly<Record<string, string>> };

/** `badAddress`: the recipient's address is invalid. `badSender`: the sender is not, or not yet, verified. */
export type MailRefusal = 'tooLarge' | 'badAddress' | 'badSender' | 'rejected';

/** `accepted` is the provider's id. `again`: the provider is at its rate limit. */
export type MailResult = { accepted: string } | { refused: MailRefusal } | 'again';

/** Sends mails. An accepted mail is not necessarily delivered. */
export type Mailer = { send(mail: Mail): Promise<MailResult> };

// Secrets

export type MasterSecret = { version: string; key: Uint8Array };

export type Secrets = {
  /**
   * The current master secret first. The `version` is among the others if it is the previous one, which stays readable
   * until its tokens have expired. An unknown version causes a new read, because another process may have noticed a rotation
   * first.
   */
  master(version?: string): Promise<[MasterSecret, ...MasterSecret[]]>;
};

// Passwords

export type Passwords = {
  /** The text contains salt and cost, so that both may change for later passwords. */
  hash(password: string): Promise<string>;
  /** Without a hash it does the same work and returns false. */
  verify(password: string, hash: string | undefined): Promise<boolean>;
};
