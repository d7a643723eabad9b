import { expect, it } from 'vitest';
import * as ranges from '../../../engines/outbound/public-ip.ts';
import { isRefusedPort } from '../../../engines/outbound/refused-ports.ts';
import * as policies from '../../../engines/outbound/ssrf-policy.ts';
import { ADDRESS_CASES } from './address-cases.ts';
import { wrongAnswers } from './judging.ts';
import { REFUSED_PORTS } from './public-lists.ts';

const judging = { ...ranges, ...policies };

it('says of every address, spelling, suffix, port, policy and set of answers what is published', () => {
  expect(ADDRESS_CASES.length).toBeGreaterThan(300);
  expect([...wrongAnswers(judging as never)]).toEqual([]);
});

it('refuses no port above 1023 that is not published', () => {
  const refused = Array.from({ length: 65_536 - 1024 }, (_, at) => at + 1024).filter(isRefusedPort);
  const published = Object.values(REFUSED_PORTS).flat();
  const ranges = refused.filter((port) => !published.includes(port));
  // Inside the published ranges of VNC, X11 and IRC.
  expect(ranges.filter((port) => !(port > 5900 && port < 6063) && port !== 6666 && port !== 6668)).toEqual([]);
});
