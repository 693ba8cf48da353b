/**
 * One's own statements: the months of each year with their sums, and one month with every entry and its PDF.
 */
import { useSearchParams } from 'react-router-dom';
import { Months } from './Months.js';
import { OneStatement } from './OneStatement.js';

export default function StatementsPage() {
  const [query] = useSearchParams();
  const month = query.get('month');
  return month === null ? <Months /> : <OneStatement key={month} month={month} />;
}
