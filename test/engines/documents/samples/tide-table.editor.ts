/** Heights of the tide at Port Isaac by the rule of twelfths. */
type Tide = { at: Date; metres: number };

const TWELFTHS = [1, 3, 6, 9, 11, 12];
const SAFE_DEPTH_METRES = 2.4;

export function heightAt(low: Tide, high: Tide, now: Date): number {
  const whole = high.at.getTime() - low.at.getTime();
  const passed = (now.getTime() - low.at.getTime()) / whole;
  const step = Math.min(Math.floor(passed * 6), 5);
  const share = (TWELFTHS[step] ?? 12) / 12;
  return low.metres + (high.metres - low.metres) * share;
}

export function mayEnter(low: Tide, high: Tide, now: Date, draughtMetres: number): boolean {
  return heightAt(low, high, now) - draughtMetres >= SAFE_DEPTH_METRES;
}
