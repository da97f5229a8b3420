/** Longer texts are not remembered: they seldom come back, and would let hostile input fill the memory. */
const LONGEST = 500;

/**
 * Remembers what `compute` answered, for texts that come back by the million (licences, affiliations). When
 * `capacity` answers are held all are forgotten at once: memory stays bounded, and no look-up pays for an order of use.
 */
export function memoise<Answer>(compute: (text: string) => Answer, capacity = 20_000): (text: string) => Answer {
  const answers = new Map<string, { answer: Answer }>();
  return (text) => {
    if (text.length > LONGEST) return compute(text);
    const known = answers.get(text);
    if (known) return known.answer;
    if (answers.size >= capacity) answers.clear();
    const answer = compute(text);
    answers.set(text, { answer });
    return answer;
  };
}
