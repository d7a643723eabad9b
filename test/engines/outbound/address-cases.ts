/** URLs and the expected verdict of the outbound guard, in addition to egress-cases.json. */
import type { RefusalReason } from '../../../engines/outbound/failure.ts';
import { OPEN_PORTS, REFUSED_PORTS, SUFFIXES } from './public-lists.ts';

export type AddressCase = readonly [address: string, verdict: RefusalReason | 'ok'];

export const OWN_HOSTS = ['api.errand.dev', 'Hooks.Errand.dev:8443'];
export const OWN_BUCKETS = ['errand-bytes'];

const label63 = 'a'.repeat(63);
const hostOf = (length: number) => `${label63}.${label63}.${label63}.${'b'.repeat(length - 192)}`;
const padded = (length: number) => `https://files.customer-a.com/${'x'.repeat(length - 29)}`;

const texts: AddressCase[] = [
  [padded(2048), 'ok'],
  [padded(2049), 'text'],
  ['', 'text'],
  ['files.customer-a.com', 'text'],
  ['/a.pdf', 'text'],
  ['//files.customer-a.com/a', 'text'],
  ['https://', 'text'],
  ['https://files.customer-a.com/\r\nx-injected: 1', 'text'],
  ['https://files.customer-a.com/a\tb', 'text'],
  ['\u0000https://files.customer-a.com/', 'text'],
  ['https://files.customer-a.com/a\u007fb', 'text'],
  ['HTTPS://FILES.Customer-A.com/A.pdf', 'ok'],
  ['https://files.customer-a.com/?q=https://127.0.0.1/#@x', 'ok'],
  ['https://files.customer-a.com/@handle', 'ok'],
];

const credentials: AddressCase[] = [
  ['https://user@files.customer-a.com/', 'credentials'],
  ['https://user:pass@files.customer-a.com/', 'credentials'],
  ['https://:pass@files.customer-a.com/', 'credentials'],
  ['https://@files.customer-a.com/', 'credentials'],
  ['https://:@files.customer-a.com/', 'credentials'],
  ['https:\\\\user@files.customer-a.com/', 'credentials'],
  ['https:user@files.customer-a.com/', 'credentials'],
  ['https://files.customer-a.com:443@127.0.0.1/', 'credentials'],
];

const schemes: AddressCase[] = ['http', 'ftp', 'ws', 'wss', 'gopher'].map((scheme) => [
  `${scheme}://files.customer-a.com/`,
  'scheme',
]);

const hosts: AddressCase[] = [
  [`https://${label63}.customer-a.com/`, 'ok'],
  [`https://a${label63}.customer-a.com/`, 'host'],
  [`https://${hostOf(253)}/`, 'ok'],
  [`https://${hostOf(254)}/`, 'host'],
  ['https://metadata/', 'host'],
  ['https://files.customer-a.com./', 'host'],
  ['https://files..customer-a.com/', 'host'],
  ['https://-a.customer-a.com/', 'host'],
  ['https://a-.customer-a.com/', 'host'],
  ['https://a_b.customer-a.com/', 'host'],
  ['https://*.customer-a.com/', 'host'],
  ['https://a--b.customer-a.com/', 'ok'],
  ['https://r3---sn-4g5e.customer-a.com/', 'ok'],
  ['https://xn--a.customer-a.com/', 'host'],
  ['https://xn--.customer-a.com/', 'host'],
  ['https://bücher.customer-a.de/', 'ok'],
  ['https://пример.рф/', 'ok'],
  ['https://例え.jp/', 'ok'],
  ['https://files.customer-a.1/', 'text'],
  ['https://files.customer-a.0x1/', 'text'],
  ['https://1.2.3.4.5/', 'text'],
  ['https://10.customer-a.com/', 'ok'],
  ['https://127.0.0.1.customer-a.com/', 'ok'],
];

/** The expected values were computed by hand. */
const spellings: AddressCase[] = [
  ['https://0x7f000001/', 'address'],
  ['https://2130706433/', 'address'],
  ['https://017700000001/', 'address'],
  ['https://0x7f.0.0.1/', 'address'],
  ['https://127.1/', 'address'],
  ['https://10.65535/', 'address'],
  ['https://0/', 'address'],
  ['https://１２７.０.０.１/', 'address'],
  ['https://①②⑦.⓪.⓪.①/', 'address'],
  ['https://127。0。0。1/', 'address'],
  ['https://%31%32%37.0.0.1/', 'address'],
  ['https://127.0.0.1%2e/', 'address'],
  ['https://169.254.169.254./', 'address'],
  ['https://0x08080808/', 'ok'],
  ['https://134744072/', 'ok'],
  ['https://010.010.010.010/', 'ok'],
  ['https://８.８.８.８/', 'ok'],
  ['https://[2606:4700:4700::1111]:8443/', 'ok'],
  ['https://[2606:4700:0:0:0:0:0:1]/', 'ok'],
  ['https://[::1]/', 'address'],
  ['https://[::ffff:8.8.8.8]/', 'address'],
  ['https://[fe80::1%25eth0]/', 'text'],
  ['https://LOCALHOST/', 'host'],
  ['https://ⓛⓞⓒⓐⓛⓗⓞⓢⓣ/', 'host'],
  ['https://%6c%6f%63%61%6c%68%6f%73%74/', 'host'],
  ['https://a.LocalHost/', 'suffix'],
  ['https://a.ⓛⓞⓒⓐⓛ/', 'suffix'],
];

const suffixes: AddressCase[] = SUFFIXES.flatMap((suffix): AddressCase[] => [
  [`https://db.${suffix}/`, 'suffix'],
  [`https://a.b.${suffix}/`, 'suffix'],
  [`https://${suffix}.customer-a.com/`, 'ok'],
  [`https://db.not${suffix}/`, suffix === 'cluster.local' ? 'suffix' : 'ok'],
]);

const ports: AddressCase[] = [
  ...Object.values(REFUSED_PORTS)
    .flat()
    .map((port): AddressCase => [`https://files.customer-a.com:${port}/`, 'port']),
  ...OPEN_PORTS.map((port): AddressCase => [`https://files.customer-a.com:${port}/`, 'ok']),
  ['https://files.customer-a.com:65536/', 'text'],
  ['https://files.customer-a.com:-1/', 'text'],
  ['https://8.8.8.8:6379/', 'port'],
];

const own: AddressCase[] = [
  ['https://api.errand.dev/api/v1/files', 'own'],
  ['https://API.errand.dev:4443/', 'own'],
  ['https://stage.api.errand.dev/', 'own'],
  ['https://notapi.errand.dev/', 'ok'],
  ['https://hooks.errand.dev:8443/', 'own'],
  ['https://hooks.errand.dev:9443/', 'ok'],
  ['https://errand-bytes.s3.eu-west-1.amazonaws.com/k', 'own'],
  ['https://errand-bytes.s3.amazonaws.com/k', 'own'],
  ['https://errand-bytes.s3.dualstack.eu-west-1.amazonaws.com/k', 'own'],
  ['https://errand-bytes.s3-accelerate.amazonaws.com/k', 'own'],
  ['https://errand-bytes.s3.cn-north-1.amazonaws.com.cn/k', 'own'],
  ['https://s3.eu-west-1.amazonaws.com/errand-bytes/k', 'own'],
  ['https://s3.amazonaws.com/errand-bytes', 'own'],
  ['https://s3.eu-west-1.amazonaws.com/%65rrand-bytes/k', 'own'],
  ['https://s3.eu-west-1.amazonaws.com/%zz/k', 'ok'],
  ['https://s3.eu-west-1.amazonaws.com/other/errand-bytes', 'ok'],
  ['https://errand-bytes-too.s3.eu-west-1.amazonaws.com/k', 'ok'],
  ['https://errand-bytes.customer-a.com/k', 'ok'],
  ['https://files.customer-a.com/errand-bytes/k', 'ok'],
];

export const ADDRESS_CASES: readonly AddressCase[] = [
  ...texts,
  ...credentials,
  ...schemes,
  ...hosts,
  ...spellings,
  ...suffixes,
  ...ports,
  ...own,
];
