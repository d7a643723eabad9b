/** Names of one's own for the addresses of a stage, each with the certificate that covers it. */

export type Domain = { name: string; certificateArn: string };
/** `files` and `sockets` stand before the gateway, `agents` before the edge, which serves calls and the WebSocket. */
export type Domains = { [of in 'files' | 'agents' | 'sockets']?: Domain };

export type GivenDomains = { [of in keyof Domains]?: { name?: string | undefined; certificate?: string | undefined } };

const NAME = /^(?=.{4,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,63}$/;
const CERTIFICATE = /^arn:aws[a-z-]*:acm:([a-z0-9-]+):\d{12}:certificate\/[\w-]+$/;
/** CloudFront knows the certificates of this region only. */
const OF_THE_EDGE = 'us-east-1';

export function domainsIn(given: GivenDomains): Domains {
  const found = Object.entries(given).flatMap(([of, { name = '', certificate = '' }]) =>
    name === '' && certificate === '' ? [] : [[of, domainIn(of, name, certificate)] as const],
  );
  const twice = found.find(([, { name }], at) => found.findIndex(([, other]) => other.name === name) < at);
  if (twice)
    throw new RangeError(`${twice[0]}-domain is ${twice[1].name}, which is taken already: each needs its own.`);
  return Object.fromEntries(found);
}

function domainIn(of: string, name: string, certificateArn: string): Domain {
  if (!NAME.test(name)) {
    throw new RangeError(`${of}-domain is ${JSON.stringify(name)}: give a name such as ${of}.example.com.`);
  }
  const region = CERTIFICATE.exec(certificateArn)?.[1];
  if (region === undefined) {
    const shown = JSON.stringify(certificateArn.slice(0, 200));
    throw new RangeError(`${of}-certificate is ${shown}: give the ARN of the certificate of ${name}.`);
  }
  if (of === 'agents' && region !== OF_THE_EDGE) {
    throw new RangeError(`agents-certificate is of ${region}: CloudFront takes certificates of ${OF_THE_EDGE} only.`);
  }
  return { name, certificateArn };
}
