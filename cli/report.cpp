#include <fmt/format.h>

#include "cli/command.h"
#include "cli/exit_code.h"
#include "cli/outputs.h"
#include "cli/parse.h"
#include "io/page/results_page.h"
#include "io/result/output_file.h"

namespace thinwire::cli {
namespace fs = std::filesystem;
namespace po = boost::program_options;

po::options_description report_options() {
  po::options_description options;
  options.add_options()  //
      ("result",
       po::value<std::vector<std::string>>()->composing()->value_name("RESULT.h5..."),
       "results of solve or sweep")  //
      ("output,o", po::value<std::string>()->value_name("PAGE.html"),
       "the page (default: the first result's name with .html)")  //
      ("title", po::value<std::string>()->value_name("TEXT"),
       "title of the page (default: the first result's name)")  //
      ("force", po::bool_switch(), "overwrite a foreign file");
  return options;
}

int run_report(const Arguments& arguments) {
  const po::variables_map values =
      parse("report", arguments.words, report_options(), "result");
  if (!given(values, "result"))
    throw Error(ErrorKind::usage, "report: no result given. Run `thinwire help report`.");
  std::vector<fs::path> inputs;
  for (const std::string& word : values["result"].as<std::vector<std::string>>())
    inputs.emplace_back(word);
  const std::string output = given(values, "output")
                                 ? text_of(values, "output")
                                 : inputs.front().stem().string() + ".html";
  if (output.empty() || output == "none")
    throw Error(ErrorKind::usage,
                fmt::format("report: --output {}: a page needs a file. Give one: -o "
                            "page.html, or - for standard output.",
                            output.empty() ? "''" : output));
  refuse_terminal(output);
  const PlannedOutput planned[] = {
      {output, std::string(file_kind::page), overwrite_of(values)}};
  check_outputs("report", planned, inputs);

  ChosenResults chosen = choose_results(inputs);
  if (const std::string title = text_of(values, "title"); !title.empty())
    chosen.title = title;
  const std::string page = results_page(chosen);
  Delivery delivery;
  delivery.write(output, [&] { write_result_file(output, page); });
  delivery.print_written();
  delivery.raise();
  return exit_done;
}

}  // namespace thinwire::cli
