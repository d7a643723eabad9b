/** The check digits of European VAT numbers, by the rules that stdnum has for each country. */

import { validate as austria } from 'stdnum/lib/cjs/at/uid.js';
import { validate as belgium } from 'stdnum/lib/cjs/be/vat.js';
import { validate as bulgaria } from 'stdnum/lib/cjs/bg/vat.js';
import { validate as switzerland } from 'stdnum/lib/cjs/ch/uid.js';
import { validate as cyprus } from 'stdnum/lib/cjs/cy/vat.js';
import { validate as czechia } from 'stdnum/lib/cjs/cz/dic.js';
import { validate as germany } from 'stdnum/lib/cjs/de/vat.js';
import { validate as denmark } from 'stdnum/lib/cjs/dk/cvr.js';
import { validate as estonia } from 'stdnum/lib/cjs/ee/kmkr.js';
import { validate as spain } from 'stdnum/lib/cjs/es/nif.js';
import { validate as finland } from 'stdnum/lib/cjs/fi/alv.js';
import { validate as france } from 'stdnum/lib/cjs/fr/tva.js';
import { validate as unitedKingdom } from 'stdnum/lib/cjs/gb/vat.js';
import { validate as greece } from 'stdnum/lib/cjs/gr/vat.js';
import { validate as croatia } from 'stdnum/lib/cjs/hr/oib.js';
import { validate as hungary } from 'stdnum/lib/cjs/hu/anum.js';
import { validate as ireland } from 'stdnum/lib/cjs/ie/vat.js';
import { validate as italy } from 'stdnum/lib/cjs/it/iva.js';
import { validate as lithuania } from 'stdnum/lib/cjs/lt/pvm.js';
import { validate as luxembourg } from 'stdnum/lib/cjs/lu/tva.js';
import { validate as latvia } from 'stdnum/lib/cjs/lv/pvn.js';
import { validate as malta } from 'stdnum/lib/cjs/mt/vat.js';
import { validate as netherlands } from 'stdnum/lib/cjs/nl/btw.js';
import { validate as norway } from 'stdnum/lib/cjs/no/mva.js';
import { validate as poland } from 'stdnum/lib/cjs/pl/nip.js';
import { validate as portugal } from 'stdnum/lib/cjs/pt/nif.js';
import { validate as romania } from 'stdnum/lib/cjs/ro/cif.js';
import { validate as sweden } from 'stdnum/lib/cjs/se/vat.js';
import { validate as slovenia } from 'stdnum/lib/cjs/si/ddv.js';
import { validate as slovakia } from 'stdnum/lib/cjs/sk/dph.js';

/** By the letters that a number begins with. */
const VALIDATORS: Record<string, typeof germany> = {
  AT: austria,
  BE: belgium,
  BG: bulgaria,
  CH: switzerland,
  CY: cyprus,
  CZ: czechia,
  DE: germany,
  DK: denmark,
  EE: estonia,
  EL: greece,
  ES: spain,
  FI: finland,
  FR: france,
  GB: unitedKingdom,
  HR: croatia,
  HU: hungary,
  IE: ireland,
  IT: italy,
  LT: lithuania,
  LU: luxembourg,
  LV: latvia,
  MT: malta,
  NL: netherlands,
  NO: norway,
  PL: poland,
  PT: portugal,
  RO: romania,
  SE: sweden,
  SI: slovenia,
  SK: slovakia,
};

/** Returns whether the check digits are right, or undefined for a number of which the library expects another form. */
export function hasVatCheckDigits(vat: string): boolean | undefined {
  const checked = VALIDATORS[vat.slice(0, 2)]?.(vat);
  if (!checked || checked.isValid) return checked?.isValid;
  return checked.error.name === 'InvalidChecksum' ? false : undefined;
}
