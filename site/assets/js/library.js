// The page of an answer: copy buttons, weights, its packed parts, and charts on first use.
import "./copy.js";
import { offerCharts } from "./chart.js";
import { fillParts } from "./packed-parts.js";
import { offerWeights } from "./weights.js";

const section = document.querySelector("#weigh[data-source]");
if (section) offerWeights(section);
fillParts().then(() => offerCharts());
