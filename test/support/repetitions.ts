/** How often a test repeats what differs by chance: a few times in `npm test`, and many times in `npm run prove:repeated`. */
const isLong = process.env.ERRAND_TEST_REPETITIONS === 'many';

export const repetitions = ({ few, many }: { few: number; many: number }): number => (isLong ? many : few);
