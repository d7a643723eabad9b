/** Known words to tick, and a line for others. The value keeps the order in which they were chosen. */
import { useState } from 'preact/hooks';
import { words } from '../format.ts';
import { wordsIn } from './field-spec.ts';

type WordsFieldProps = { id: string; suggestions: readonly string[]; value: string; onChange: (text: string) => void };

export function WordsField({ id, suggestions, value, onChange }: WordsFieldProps) {
  const chosen = wordsIn(value);
  // As it is typed: a comma at the end is not lost.
  const [others, setOthers] = useState(chosen.filter((word) => !suggestions.includes(word)).join(', '));
  const known = chosen.filter((word) => suggestions.includes(word));
  const tick = (word: string, isOn: boolean) =>
    onChange([...known.filter((other) => other !== word), ...(isOn ? [word] : []), ...wordsIn(others)].join('\n'));
  return (
    <>
      <div class="ticks">
        {suggestions.map((word) => (
          <label key={word} class="tick">
            <input
              type="checkbox"
              checked={known.includes(word)}
              onChange={(event) => tick(word, event.currentTarget.checked)}
            />
            {words(word)}
          </label>
        ))}
      </div>
      <input
        id={id}
        type="text"
        aria-label="Others, separated by commas"
        placeholder="Others, separated by commas"
        value={others}
        autocomplete="off"
        onInput={({ currentTarget: { value: text } }) => {
          setOthers(text);
          onChange([...known, ...wordsIn(text)].join('\n'));
        }}
      />
    </>
  );
}
