/** Which addresses a caller may name. Plain objects made by the wiring; nothing here reads the environment. */

export type UrlPolicy = {
  /** Takes any public HTTPS address. */
  allowsPublic: boolean;
  /** Takes http://127.0.0.1:<port> and http://localhost:<port>. */
  allowsLoopback: boolean;
  /** Origins taken at their word, wherever they lead. */
  origins: readonly string[];
  /** The certificate authority (PEM) of those origins, in place of the usual ones. */
  ca: string | undefined;
  /** The product's own hosts, refused together with what lies below them; with a port, exactly that place. */
  ownHosts: readonly string[];
  ownBuckets: readonly string[];
  /** The one path below its own hosts on this machine that the product takes webhooks at. */
  ownReceiver: string | undefined;
};

type OwnHosts = { ownHosts: readonly string[]; ownBuckets?: readonly string[] };
type AllowedSources = { allowSources?: readonly string[]; ca?: string | undefined };

/** What strangers may name. `allowSources` is for one machine and for tests: exact origins that lead inside. */
export const publicPolicy = ({
  ownHosts,
  ownBuckets = [],
  allowSources = [],
  ca,
}: OwnHosts & AllowedSources): UrlPolicy => ({
  allowsPublic: true,
  allowsLoopback: false,
  origins: allowSources.map(originOf),
  ca,
  ownHosts: ownHosts.map((host) => host.toLowerCase()),
  ownBuckets,
  ownReceiver: undefined,
});

/** Where the local product catches webhooks, for whoever has no receiver yet. */
export const CATCHER_PATH = '/catch/';

/** For the local product alone: webhooks to this very machine, its own catcher included, besides public ones. */
export const localWebhookPolicy = (of: OwnHosts & AllowedSources): UrlPolicy => ({
  ...publicPolicy(of),
  allowsLoopback: true,
  ownReceiver: CATCHER_PATH,
});

/** The operator's own words: these origins, private ones included, and nothing else. */
export const operatorPolicy = ({ origins, ca }: { origins: readonly string[]; ca?: string }): UrlPolicy => ({
  ...publicPolicy({ ownHosts: [], allowSources: origins, ca }),
  allowsPublic: false,
});

function originOf(text: string): string {
  const { origin, protocol } = new URL(text);
  if (protocol !== 'https:' && protocol !== 'http:') throw new Error(`Not the origin of a web server: ${text}`);
  return origin;
}
