/** Said wherever another judge's scores are shown beside ours. */
export const AGREEMENT_ONLY =
  "Two judges who agree may both be wrong, and two who differ may ask different questions: this is agreement, not truth.";
