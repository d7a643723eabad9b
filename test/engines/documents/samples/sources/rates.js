// Postage of the island ferry office, in force since 1 July 2025.
const RATES = [
  { upToGrams: 100, pence: 95 },
  { upToGrams: 750, pence: 260 },
  { upToGrams: 2000, pence: 415 },
];

const FRAGILE_SURCHARGE = 150;

export function postage(grams, isFragile = false) {
  const rate = RATES.find((one) => grams <= one.upToGrams);
  if (!rate) throw new RangeError('Parcels above two kilograms go by freight.');
  return rate.pence + (isFragile ? FRAGILE_SURCHARGE : 0);
}
