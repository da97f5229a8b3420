/** Eigenvalues of a small symmetric matrix by Jacobi's rotations (1846), in a fixed order: the same digits everywhere. */

/** Sweeps after which a matrix of 25 rows has long come to rest. */
const SWEEPS = 60;

/** Of everything beside the diagonal, squared and summed, what counts as nothing. */
const NOTHING = 1e-22;

/** Largest first. `matrix` stays as it is. */
export function eigenvalues(matrix: readonly (readonly number[])[]): number[] {
  const a = matrix.map((row) => Float64Array.from(row));
  for (let sweep = 0; sweep < SWEEPS && besideDiagonal(a) > NOTHING; sweep += 1) {
    for (let p = 0; p < a.length; p += 1) for (let q = p + 1; q < a.length; q += 1) rotate(a, p, q);
  }
  return a.map((row, i) => row[i] ?? 0).sort((one, other) => other - one);
}

function besideDiagonal(a: readonly Float64Array[]): number {
  let sum = 0;
  for (const [i, row] of a.entries()) for (const [j, value] of row.entries()) if (i !== j) sum += value * value;
  return sum;
}

/** Makes the element at (p, q) nothing. */
function rotate(a: readonly Float64Array[], p: number, q: number): void {
  const at = (i: number, j: number) => a[i]?.[j] ?? 0;
  const put = (i: number, j: number, value: number) => {
    const row = a[i];
    if (row !== undefined) row[j] = value;
  };
  if (at(p, q) === 0) return;
  const theta = (at(q, q) - at(p, p)) / (2 * at(p, q));
  const t = (theta < 0 ? -1 : 1) / (Math.abs(theta) + Math.sqrt(theta * theta + 1));
  const c = 1 / Math.sqrt(t * t + 1);
  const s = t * c;
  for (let k = 0; k < a.length; k += 1) {
    const [one, other] = [at(k, p), at(k, q)];
    put(k, p, c * one - s * other);
    put(k, q, s * one + c * other);
  }
  for (let k = 0; k < a.length; k += 1) {
    const [one, other] = [at(p, k), at(q, k)];
    put(p, k, c * one - s * other);
    put(q, k, s * one + c * other);
  }
}
