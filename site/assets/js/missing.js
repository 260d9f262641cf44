// Page not found: former addresses of raw records lead to their experiment, those of files to the page of downloads.
import "./copy.js";

const FIRST = "filesystem_lifecycle"; // its pages have addresses without its name
const found = /^(.*\/)raw\/([^/]+)\/([^/]+)\/([^/]+)\/[^/]+\/[^/]+\.json$/.exec(location.pathname);
if (found) {
  const [, version, testbed, family, experiment] = found;
  location.replace(`${version}experiment/${testbed}/${family === FIRST ? "" : `${family}/`}${experiment.toLowerCase()}/#records`);
}
const file = /^(.*\/)download\/[^/]+$/.exec(location.pathname);
if (file) location.replace(`${file[1]}data/#files`);
